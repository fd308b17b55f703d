import Foundation
import RustleCore
import RustleMarket
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct FeedErrorTests {
  @Test func bridgesToNSError() {
    let error = FeedError(NativeError(status: .unreadableFile, message: "expected a file that can be read, got none"))
    let bridged = error as NSError
    #expect(bridged.domain == "rustle.feed")
    #expect(bridged.code == FeedError.Code.unreadableFile.rawValue)
    #expect(bridged.localizedDescription == "expected a file that can be read, got none")
    #expect(bridged.localizedRecoverySuggestion == "Check that the file exists and is readable.")
  }

  @Test func codesKeepTheirNumbers() {
    #expect(FeedError.Code.allCases.map(\.rawValue) == Array(1...26))
  }

  @Test func refusalsOfAForkAndOfAnotherHeaderHaveTheirCodes() {
    #expect(FeedError(NativeError(status: .forked, message: "expected the process of the threads")).code == .forked)
    #expect(FeedError(NativeError(status: .recordSize, message: "expected 48 bytes")).code == .archiveMismatch)
    #expect(FeedError(NativeError(status: .unsupported, message: "expected a verb")).code == .internal)
  }

  private func code(_ configuration: FeedConfiguration) -> FeedError.Code? {
    do throws(FeedError) {
      _ = try MarketFeed(configuration)
      return nil
    } catch {
      #expect(!error.message.isEmpty && !error.advice.isEmpty)
      return error.code
    }
  }

  @Test func sourcesAreRefusedByKind() {
    let price = ExactDecimal(units: 1, scale: 0) ?? .zero
    #expect(code(.simulated(SimulatedFeed(symbols: []))) == .noSymbols)
    #expect(code(.simulated(SimulatedFeed(symbols: ["A", "A"]))) == .duplicateSymbol)
    #expect(code(.simulated(SimulatedFeed(symbols: ["A B"]))) == .malformedSymbol)
    #expect(code(.simulated(SimulatedFeed(symbols: [String(repeating: "A", count: 33)]))) == .symbolTooLong)
    #expect(code(.simulated(SimulatedFeed(symbols: ["A"], updatesPerSecond: .nan))) == .rateOutOfRange)
    #expect(code(.simulated(SimulatedFeed(symbols: ["A"], updateLimit: 0))) == .updateLimitOutOfRange)
    let two = Array(repeating: BrownianMotion(price: price), count: 2)
    #expect(code(.simulated(SimulatedFeed(symbols: ["A"], model: .brownian(two)))) == .capacityOutOfRange)
    let wild = [BrownianMotion(price: price, volatility: -1)]
    #expect(code(.simulated(SimulatedFeed(symbols: ["A"], model: .brownian(wild)))) == .valueOutOfRange)
    #expect(code(.replay(ReplayFeed(path: "prices.txt"))) == .unknownFormat)
    #expect(code(.replay(ReplayFeed(path: "there-is-none.ndjson"))) == .unreadableFile)
    #expect(code(.replay(ReplayFeed(path: "/dev/null", format: .csv, schema: "symbol"))) == .malformedSchema)
    #expect(code(.replay(ReplayFeed(path: "/dev/null", format: .csv, pace: .speed(0)))) == .valueOutOfRange)
    #expect(code(.replay(ReplayFeed(path: "/dev/null", format: .csv, pace: .asFastAsPossible))) == nil)
  }

  @Test func consumersAreRefusedByKind() async throws {
    let feed = try MarketFeed(.simulated(SimulatedFeed(symbols: ["A"])))
    func code<Value>(_ start: (isolated MarketFeed) throws -> EngineStream<Value>) async -> FeedError.Code? {
      do {
        _ = try await start(feed)
        return nil
      } catch {
        return (error as? FeedError)?.code
      }
    }
    #expect(await code { try $0.trades(of: ["A", "A"]) } == .duplicateSymbol)
    #expect(await code { try $0.trades(policy: .buffered(capacity: 0)) } == .capacityOutOfRange)
    #expect(await code { try $0.trades(policy: .lossless(capacity: -1)) } == .capacityOutOfRange)
    #expect(await code { try $0.trades(policy: .sampled(every: .zero)) } == .valueOutOfRange)
    #expect(await code { try $0.candles(every: .zero) } == .valueOutOfRange)
    #expect(await code { try $0.candles(every: .seconds(1), lateness: .seconds(65)) } == .valueOutOfRange)
    #expect(await code { try $0.statistics(over: .seconds(-1)) } == .valueOutOfRange)
    let minus = try #require(ExactDecimal("-1"))
    #expect(
      await code { try $0.alerts(at: [PriceThreshold(symbol: "A", .above, .zero, hysteresis: minus)]) }
        == .valueOutOfRange)
    #expect(await code { try $0.notices(capacity: 0) } == .capacityOutOfRange)
    #expect(await feed.liveStreamCount == 0)
    await feed.shutDown()
    #expect(await code { try $0.trades() } == .shutDown)
    await #expect(throws: FeedError.self) { try await feed.run() }
  }

  @Test func theOriginIsThePartThatHasToChange() {
    func codes(_ origin: ErrorOrigin) -> [FeedError.Code] { FeedError.Code.allCases.filter { $0.origin == origin } }
    #expect(codes(.input) == [.unreadableFile])
    #expect(codes(.machine) == [.exhausted, .addressUnavailable, .unwritableFile])
    #expect(codes(.program) == [.ended, .shutDown, .poisoned, .archiveMismatch, .internal, .wrongSource, .forked])
    #expect(codes(.data) == [] && codes(.arguments).count == 15)
  }
}
