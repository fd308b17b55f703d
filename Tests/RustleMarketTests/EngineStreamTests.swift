import RustleCore
import RustleMarket
import RustleTesting
import TestSupport
import Testing

/// The two bufferings of a stream, on a clock that the test advances.
@Suite(.releasesNativeObjects) struct EngineStreamTests {
  private static let lanes: [StreamBuffering] = [
    .perValue(capacity: 8), .batched(capacity: 8), .batched(capacity: 8, overflow: .dropNewest),
    .batched(overflow: .conflate),
  ]

  private func started(
    _ buffering: StreamBuffering, symbols: [String] = ["BTC", "ETH"], limit: UInt64? = nil
  ) async throws -> (ManualClock, TickerController, EngineStream<PriceUpdate>) {
    let clock = try ManualClock()
    let ticker = try TickerController(configuration: TickerConfiguration(updateLimit: limit), clock: clock)
    return (clock, ticker, try await ticker.updates(for: symbols, buffering: buffering))
  }

  /// A stream's elements as numbers: a value's sequence number, or minus the length of a gap.
  private func numbers(_ elements: [StreamElement<PriceUpdate>]) -> [Int] {
    elements.map { element in
      switch element {
      case .value(let update): Int(update.sequence)
      case .gap(let count): -Int(count)
      }
    }
  }

  private func all(_ stream: EngineStream<PriceUpdate>) async -> [StreamElement<PriceUpdate>] {
    var elements: [StreamElement<PriceUpdate>] = []
    for await element in stream { elements.append(element) }
    return elements
  }

  @Test(arguments: [
    (StreamBuffering.perValue(capacity: 8), [-12, 12, 13, 14, 15, 16, 17, 18, 19]),
    (.batched(capacity: 8), [-12, 12, 13, 14, 15, 16, 17, 18, 19]),
    (.batched(capacity: 8, overflow: .dropNewest), [0, 1, 2, 3, 4, 5, 6, 7, -12]),
    (.batched(overflow: .conflate), [-9, 18, -9, 19]),
  ])
  func lossIsReportedInItsPlace(buffering: StreamBuffering, expected: [Int]) async throws {
    let (clock, ticker, stream) = try await started(buffering, limit: 20)
    clock.advance(by: .seconds(60))
    #expect(numbers(await all(stream)) == expected)
    let statistics = stream.statistics
    #expect(statistics.produced == 20)
    #expect(statistics.waiting == 0)
    #expect(statistics.delivered == UInt64(expected.count { $0 >= 0 }))
    #expect(statistics.produced == statistics.delivered + statistics.dropped)
    extendLifetime(ticker)
  }

  @Test(arguments: lanes)
  func nothingIsLostForAConsumerThatKeepsUp(buffering: StreamBuffering) async throws {
    let (clock, ticker, stream) = try await started(buffering, symbols: ["BTC"], limit: 50)
    var seen: [Int] = []
    var iterator = stream.makeAsyncIterator()
    for number in 0..<50 {
      clock.advance(by: .milliseconds(number == 0 ? 0 : 500))
      let element = try #require(await iterator.next())
      seen += numbers([element])
    }
    #expect(seen == Array(0..<50))
    #expect(await iterator.next() == nil)
    #expect(await iterator.next() == nil, "the end stays the end")
    extendLifetime(ticker)
  }

  @Test(arguments: lanes)
  func batchesHoldWhatWaits(buffering: StreamBuffering) async throws {
    let (clock, ticker, stream) = try await started(buffering, limit: 6)
    clock.advance(by: .seconds(60))
    var elements: [StreamElement<PriceUpdate>] = []
    for await batch in stream.batches(upTo: 4) {
      #expect(!batch.isEmpty)
      #expect(batch.count { $0.value != nil } <= 4)
      elements += batch
    }
    #expect(numbers(elements) == (buffering == .batched(overflow: .conflate) ? [-2, 4, -2, 5] : Array(0..<6)))
    extendLifetime(ticker)
  }

  @Test func batchBufferIsUsedAgain() async throws {
    let (clock, ticker, stream) = try await started(.batched(), limit: 600)
    clock.advance(by: .seconds(600))
    var iterator = stream.makeAsyncIterator()
    var buffer: [StreamElement<PriceUpdate>] = []
    buffer.reserveCapacity(200)
    let capacity = buffer.capacity
    var seen = 0
    while await iterator.next(into: &buffer, maximumCount: 200) {
      seen += buffer.count
      #expect(buffer.capacity == capacity)
    }
    #expect(seen == 600)
    #expect(buffer.isEmpty)
    extendLifetime(ticker)
  }

  @Test func memoryOfABatchThatWasLetGoIsUsedAgain() async throws {
    let (clock, ticker, stream) = try await started(.batched(), limit: 301)
    clock.advance(by: .seconds(600))
    var iterator = stream.batches(upTo: 300).makeAsyncIterator()
    var batch = await iterator.next()
    let capacity = try #require(batch?.capacity)
    #expect(batch?.count == 300)
    batch = nil
    batch = await iterator.next()
    #expect(batch?.count == 1)
    #expect(batch?.capacity == capacity)
    let held = batch
    #expect(await iterator.next() == nil)
    #expect(held?.count == 1, "a batch that is held is left alone")
    extendLifetime(ticker)
  }

  @Test(arguments: lanes)
  func asyncStreamGivesTheValuesAlone(buffering: StreamBuffering) async throws {
    let (clock, ticker, stream) = try await started(buffering, limit: 20)
    let other = try await ticker.updates(for: ["BTC", "ETH"], buffering: buffering)
    clock.advance(by: .seconds(60))
    let expected = numbers(await all(other)).filter { $0 >= 0 }
    #expect(await Array(stream.asyncStream()).map { Int($0.sequence) } == expected)
    #expect(await ticker.liveStreamCount == 0)
  }

  @Test(arguments: lanes)
  func droppingTheIteratorEndsTheSessionThoughTheStreamIsHeld(buffering: StreamBuffering) async throws {
    let (clock, ticker, stream) = try await started(buffering)
    clock.advance(by: .seconds(1))
    for await _ in stream { break }
    clock.advance(by: .zero)
    #expect(await ticker.liveStreamCount == 0)
    #expect(stream.statistics.produced == 5)
  }

  @Test(arguments: lanes)
  func droppingTheStreamEndsTheSession(buffering: StreamBuffering) async throws {
    let (clock, ticker, stream) = try await started(buffering)
    _ = consume stream
    clock.advance(by: .zero)
    #expect(await ticker.liveStreamCount == 0)
  }

  @Test(arguments: lanes)
  func cancellingTheTaskEndsTheSession(buffering: StreamBuffering) async throws {
    let (clock, ticker, stream) = try await started(buffering)
    let reading = OneShot()
    let consumer = Task {
      var count = 0
      for await _ in stream {
        count += 1
        reading.fire()
      }
      return count
    }
    await reading.wait()
    consumer.cancel()
    #expect(await consumer.value >= 1)
    clock.advance(by: .zero)
    #expect(await ticker.liveStreamCount == 0)
  }

  @Test(arguments: lanes, [false, true])
  func cancellingTheTaskEndsTheSessionThoughTheIteratorIsHeld(buffering: StreamBuffering, whileItWaits: Bool)
    async throws
  {
    let (clock, ticker, stream) = try await started(buffering, symbols: ["BTC"])
    let (reading, cancelled, seen, letGo) = (OneShot(), OneShot(), OneShot(), OneShot())
    clock.advance(by: .zero)
    let consumer = Task {
      var iterator = stream.makeAsyncIterator()
      // The only value.
      _ = await iterator.next()
      reading.fire()
      if !whileItWaits { await cancelled.wait() }
      let element = await iterator.next()
      seen.fire()
      await letGo.wait()
      extendLifetime(iterator)
      return element
    }
    await reading.wait()
    consumer.cancel()
    cancelled.fire()
    await seen.wait()
    clock.advance(by: .zero)
    #expect(await ticker.liveStreamCount == 0)
    letGo.fire()
    #expect(await consumer.value == nil)
  }

  @Test(arguments: lanes)
  func tasksThatReadAnAsyncStreamTakeTurns(buffering: StreamBuffering) async throws {
    let (clock, ticker, stream) = try await started(buffering, symbols: ["BTC"], limit: 20)
    let values = stream.asyncStream()
    let counts = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<3 {
        group.addTask {
          var count = 0
          for await _ in values { count += 1 }
          return count
        }
      }
      // One value at a time, each taken before the next comes: none is dropped in any lane.
      for number in 0..<20 {
        clock.advance(by: .milliseconds(number == 0 ? 0 : 500))
        while stream.statistics.delivered <= UInt64(number) { await Task.yield() }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts.reduce(0, +) == 20)
    extendLifetime(ticker)
  }

  @Test func readerThatIsCancelledInItsTurnComesBack() async throws {
    let (clock, ticker, stream) = try await started(.batched(), symbols: ["BTC"])
    let values = stream.asyncStream()
    let first = Task { for await _ in values {} }
    let second = Task { for await _ in values {} }
    for _ in 0..<100 { await Task.yield() }
    second.cancel()
    await second.value
    first.cancel()
    await first.value
    clock.advance(by: .zero)
    #expect(await ticker.liveStreamCount == 0)
  }

  @Test(arguments: lanes, [false, true])
  func cancelledConsumerIsGivenNothingMore(buffering: StreamBuffering, inBatches: Bool) async throws {
    let (clock, ticker, stream) = try await started(buffering, limit: 8)
    clock.advance(by: .seconds(60))
    let (reading, cancelled) = (OneShot(), OneShot())
    let consumer = Task {
      var iterator = stream.makeAsyncIterator()
      let first = await iterator.next()
      reading.fire()
      await cancelled.wait()
      var more: [StreamElement<PriceUpdate>] = []
      if inBatches {
        #expect(await iterator.next(into: &more, maximumCount: 100) == false)
      } else if let next = await iterator.next() {
        more.append(next)
      }
      return (first != nil, more.count)
    }
    await reading.wait()
    consumer.cancel()
    cancelled.fire()
    let (hadOne, more) = await consumer.value
    #expect(hadOne)
    #expect(more == 0)
    extendLifetime(ticker)
  }

  @Test(arguments: lanes)
  func tickerCountsWhatIsReadAfterCancel(buffering: StreamBuffering) async throws {
    let (clock, ticker, stream) = try await started(buffering)
    clock.advance(by: .milliseconds(250))
    await ticker.cancel()
    #expect(await ticker.statistics.delivered == 0)
    #expect(await all(stream).count == 2)
    #expect(await ticker.statistics == stream.statistics)
    #expect(await ticker.statistics.delivered == 2)
  }

  @Test(arguments: lanes)
  func streamThatWasLeftHoldsNoNativeSession(buffering: StreamBuffering) async throws {
    let clock = try ManualClock()
    let ticker = try TickerController(configuration: TickerConfiguration(), clock: clock)
    let before = NativeLibrary.liveObjects
    for await _ in try await ticker.updates(for: ["BTC"], buffering: buffering) { break }
    clock.advance(by: .zero)
    #expect(await ticker.liveStreamCount == 0)
    #expect(NativeLibrary.liveObjects == before)
    #expect(await ticker.statistics.produced == 1)
    extendLifetime(ticker)
  }

  @Test(arguments: lanes)
  func countsCanBeReadWhileValuesPass(buffering: StreamBuffering) async throws {
    let configuration = TickerConfiguration(updatesPerSecond: 1_000_000, updateLimit: 300_000)
    let ticker = try TickerController(configuration: configuration)
    let stream = try await ticker.updates(for: ["BTC"], buffering: buffering)
    let watcher = Task.detached {
      var most: UInt64 = 0
      while stream.outcome == nil { most = max(most, stream.statistics.waiting) }
      return most
    }
    for await _ in stream {}
    #expect(await watcher.value <= 300_000)
    let statistics = stream.statistics
    #expect(statistics.produced == statistics.delivered + statistics.dropped)
  }

  @Test(arguments: lanes)
  func whatWaitsIsDeliveredAfterCancel(buffering: StreamBuffering) async throws {
    let (clock, ticker, stream) = try await started(buffering)
    clock.advance(by: .milliseconds(250))
    await ticker.cancel()
    #expect(numbers(await all(stream)) == [0, 1])
  }

  @Test(arguments: lanes)
  func outcomeReportsHowItEnded(buffering: StreamBuffering) async throws {
    let (clock, ticker, stream) = try await started(buffering, limit: 3)
    clock.advance(by: .milliseconds(250))
    #expect(stream.outcome == nil)
    let other = try await ticker.updates(for: ["SOL"], buffering: buffering)
    clock.advance(by: .seconds(1))
    #expect(stream.outcome == .ended)
    #expect(other.outcome == .ended)
    let last = try await ticker.updates(for: ["SOL"], buffering: buffering)
    await ticker.cancel()
    #expect(last.outcome == .cancelled)
  }

  @Test func secondIteratorEndsAtOnce() async throws {
    let (clock, ticker, stream) = try await started(.batched(), limit: 3)
    clock.advance(by: .seconds(60))
    var first = stream.makeAsyncIterator()
    var second = stream.makeAsyncIterator()
    #expect(await second.next() == nil)
    #expect(await first.next() != nil)
    extendLifetime(ticker)
  }

  @Test(arguments: [0, -1, 1_048_577, .max])
  func capacityOutOfRangeIsRefused(capacity: Int) async throws {
    let ticker = try TickerController()
    for buffering in [StreamBuffering.batched(capacity: capacity), .perValue(capacity: capacity)] {
      let error = await #expect(throws: TickerError.self) {
        _ = try await ticker.updates(for: ["BTC"], buffering: buffering)
      }
      #expect(error?.code == .capacityOutOfRange)
      #expect(error?.message.contains("\(max(0, capacity))") == true)
    }
  }
}
