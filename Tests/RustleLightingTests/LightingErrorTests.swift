import Foundation
import RustleCore
import RustleLighting
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct LightingErrorTests {
  @Test func bridgesToNSError() {
    let error = LightingError(NativeError(status: .invalidUniverse, message: "universe: expected 1 to 63999, got 0"))
    let bridged = error as NSError
    #expect(bridged.domain == "rustle.lighting")
    #expect(bridged.code == LightingError.Code.universe.rawValue)
    #expect(bridged.localizedDescription == "universe: expected 1 to 63999, got 0")
  }

  @Test func codesKeepTheirNumbers() {
    #expect(LightingError.Code.allCases.map(\.rawValue) == Array(1...8))
    #expect(Set(LightingError.Code.allCases.map(\.name)).count == 8)
  }

  @Test func eachStatusHasItsCodeAndAdvice() {
    for (status, code) in [
      (NativeStatus.unknownInterface, LightingError.Code.unknownInterface), (.networkFailed, .network),
      (.noDestination, .validation), (.malformedAddress, .validation), (.invalidLength, .validation),
      (.shutDown, .shutDown), (.poisoned, .native), (.forked, .native), (.exhausted, .native),
      (.archiveMismatch, .native), (.staleHandle, .wrongState),
    ] {
      let error = LightingError(NativeError(status: status, message: "x"))
      #expect(error.code == code, "\(status)")
      #expect(!error.advice.isEmpty && error.isRetryable == (code == .network))
    }
  }

  @Test func theOriginIsThePartThatHasToChange() {
    func codes(_ origin: ErrorOrigin) -> [LightingError.Code] {
      LightingError.Code.allCases.filter { $0.origin == origin }
    }
    #expect(codes(.machine) == [.network])
    #expect(codes(.data) == [.malformedInput])
    #expect(codes(.arguments).count == 3 && codes(.program).count == 3 && codes(.input) == [])
  }
}
