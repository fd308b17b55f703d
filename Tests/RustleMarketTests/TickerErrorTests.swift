import Foundation
import RustleCore
import RustleMarket
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct TickerErrorTests {
  @Test func bridgesToNSError() {
    let error = TickerError(NativeError(status: .noSymbols, message: "symbols: expected at least one, got none"))
    let bridged = error as NSError
    #expect(bridged.domain == "rustle.ticker")
    #expect(bridged.code == TickerError.Code.noSymbols.rawValue)
    #expect(bridged.localizedDescription == "symbols: expected at least one, got none")
    #expect(bridged.localizedRecoverySuggestion == "Correct the list of symbols.")
  }

  @Test func codesKeepTheirNumbers() {
    #expect(TickerError.Code.allCases.map(\.rawValue) == Array(1...14))
  }

  @Test func theOriginIsThePartThatHasToChange() {
    func codes(_ origin: ErrorOrigin) -> [TickerError.Code] { TickerError.Code.allCases.filter { $0.origin == origin } }
    #expect(codes(.machine) == [.exhausted])
    #expect(codes(.program) == [.shutDown, .poisoned, .archiveMismatch, .internal, .forked])
    #expect(codes(.arguments).count == 8 && codes(.data) == [] && codes(.input) == [])
  }
}
