internal import RustleCore

/// The sound of one capture, in buffers; for one consumer.
///
/// Blocks that wait are put together, as far as they follow one another. It ends when the capture has come to its limit or is
/// cancelled, and with an error when the device was lost.
public struct CaptureBuffers: AsyncSequence, SettlingBuffers, Sendable {
  /// A buffer; what was lost before it stands in it.
  public typealias Element = AudioBuffer
  /// The device was lost, or the native side failed.
  public typealias Failure = AudioError

  let stream: EngineStream<AudioBuffer>
  let mostFrames: Int

  /// What went through so far, in blocks of the native side.
  public var statistics: StreamStatistics { stream.statistics }

  /// The first iterator reads; further ones end at once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: stream.makeAsyncIterator(), stream: stream, mostFrames: mostFrames)
  }

  /// Ends the capture if it goes on, and returns when the device is closed.
  package func settle() async {
    let monitor = StreamMonitor(stream)
    monitor.cancel()
    await monitor.released()
  }

  /// Reads what waits.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: EngineStream<AudioBuffer>.Iterator
    private let stream: EngineStream<AudioBuffer>
    private let mostFrames: Int
    private var waiting: [StreamElement<AudioBuffer>] = []
    private var place = 0
    /// The frame that comes next if none is lost.
    private var next: Int64 = 0
    private var isOver = false

    init(base: EngineStream<AudioBuffer>.Iterator, stream: EngineStream<AudioBuffer>, mostFrames: Int) {
      self.base = base
      self.stream = stream
      self.mostFrames = mostFrames
    }

    /// The next buffer, or nil at the end; it waits in the isolation of the caller.
    public mutating func next() async throws(AudioError) -> AudioBuffer? {
      try await next(isolation: #isolation)
    }

    /// The next buffer, or nil at the end; it waits in the isolation of `actor`.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(AudioError) -> AudioBuffer? {
      if isOver { return nil }
      while true {
        // What waits is not for a task that was cancelled.
        if Task.isCancelled { place = waiting.count }
        while place < waiting.count {
          if let buffer = joined() { return buffer }
        }
        place = 0
        guard await base.next(into: &waiting, most: 1_024, isolation: actor) else {
          isOver = true
          if let error = AudioError.end(of: stream.outcome, advice: "Check the device, and capture again.") {
            throw error
          }
          return nil
        }
      }
    }

    /// The block at `place` with those that follow it, as far as they fit; nil when there is a gap, which the positions tell.
    private mutating func joined() -> AudioBuffer? {
      guard let first = waiting[place].value else {
        place += 1
        return nil
      }
      place += 1
      var samples = first.samples
      var end = first.position + Int64(first.frameCount)
      while place < waiting.count, let block = waiting[place].value, block.position == end,
        block.overruns == first.overruns, samples.count + block.samples.count <= mostFrames * first.format.channels
      {
        samples += block.samples
        end += Int64(block.frameCount)
        place += 1
      }
      defer { next = end }
      return AudioBuffer(
        format: first.format, samples: samples, position: first.position, lostFrames: first.position - next,
        overruns: first.overruns)
    }
  }
}

/// Buffers whose source goes on for a moment after they were left.
package protocol SettlingBuffers {
  /// Ends the source if it goes on, and returns when it has ended.
  func settle() async
}
