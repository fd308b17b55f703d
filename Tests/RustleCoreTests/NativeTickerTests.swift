import Testing

@testable import RustleCore

@Suite struct NativeTickerTests {
  @Test func refusalCarriesTheStatusAndTheNativeText() {
    let error = #expect(throws: NativeError.self) {
      _ = try NativeTicker(updatesPerSecond: .nan, seed: nil, updateLimit: nil)
    }
    #expect(
      error
        == NativeError(status: .rateOutOfRange, message: "expected 0.001 to 10000000 updates a second, got NaN"))
  }

  @Test func failedStartTakesNoReference() throws {
    final class Receiver: NativePriceReceiver {
      func receive(_ price: NativePrice) {}
      func end(_ outcome: SessionOutcome) { Issue.record("a sink that was not taken must not be called") }
    }
    let ticker = try NativeTicker(updatesPerSecond: 2, seed: nil, updateLimit: nil)
    weak var receiver: Receiver?
    do {
      let strong = Receiver()
      receiver = strong
      let error = #expect(throws: NativeError.self) { _ = try ticker.start(symbols: [], receiver: strong) }
      #expect(error?.status == .noSymbols)
    }
    #expect(receiver == nil, "the reference that was meant for the native side was taken back")
  }

  @Test func releaseGivesBackTheReceiver() async throws {
    final class Receiver: NativePriceReceiver {
      func receive(_ price: NativePrice) {}
      func end(_ outcome: SessionOutcome) {}
    }
    let ticker = try NativeTicker(updatesPerSecond: 2, seed: nil, updateLimit: 1)
    weak var receiver: Receiver?
    do {
      let strong = Receiver()
      receiver = strong
      let session = try ticker.start(symbols: ["BTC"], receiver: strong)
      await session.released()
      #expect(session.outcome == .ended)
    }
    #expect(receiver == nil)
  }
}
