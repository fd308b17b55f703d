import Dispatch
import TestSupport
import Testing

@testable import RustleCore

@Suite(.releasesNativeObjects) struct NativeTickerTests {
  @Test func releaseIsOverOnlyWhenItsCodeHasRun() async throws {
    let ticker = try NativeTicker(
      NativeTickerConfiguration(updatesPerSecond: 1, seed: 0, updateLimit: 0, hasSeed: false))
    let (entered, letGo) = (OneShot(), DispatchSemaphore(value: 0))
    let session = try ticker.start(
      symbols: ["BTC"], onElement: { _ in },
      onEnd: { _ in
        entered.fire()
        letGo.wait()
      })
    session.cancel()
    await entered.wait()
    #expect(!session.isReleased)
    letGo.signal()
    await session.released()
    #expect(session.isReleased)
  }

  @Test func refusalCarriesTheStatusAndTheNativeText() {
    let error = #expect(throws: NativeError.self) {
      _ = try NativeTicker(
        NativeTickerConfiguration(updatesPerSecond: .nan, seed: 0, updateLimit: 0, hasSeed: false))
    }
    #expect(
      error
        == NativeError(status: .rateOutOfRange, message: "updates per second: expected 0.001 to 10000000, got NaN"))
  }

  /// Held by the closures that a session is started with, and by nothing else.
  private final class Witness: Sendable {}

  @Test func failedStartTakesNoReference() throws {
    let ticker = try NativeTicker(
      NativeTickerConfiguration(updatesPerSecond: 2, seed: 0, updateLimit: 0, hasSeed: false))
    weak var witness: Witness?
    do {
      let strong = Witness()
      witness = strong
      let error = #expect(throws: NativeError.self) {
        _ = try ticker.start(
          symbols: [], buffering: .perValue(), reader: ElementReader { [strong] in (strong, $0.sequence) },
          sequenceNumber: \.1
        )
      }
      #expect(error?.status == .noSymbols)
    }
    #expect(witness == nil, "the reference that was meant for the native side was taken back")
  }

  @Test func releaseGivesBackTheContext() async throws {
    let ticker = try NativeTicker(
      NativeTickerConfiguration(updatesPerSecond: 2, seed: 0, updateLimit: 1, hasSeed: false))
    weak var witness: Witness?
    do {
      let strong = Witness()
      witness = strong
      let stream = try ticker.start(
        symbols: ["BTC"], buffering: .perValue(), reader: ElementReader { [strong] in (strong, $0.sequence) },
        sequenceNumber: \.1)
      let session = stream.core.session
      await session.released()
      #expect(session.outcome == .ended)
    }
    #expect(witness == nil)
  }
}
