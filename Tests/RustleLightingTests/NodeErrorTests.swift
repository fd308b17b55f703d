import Foundation
import RustleCore
import RustleLighting
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct NodeErrorTests {
  @Test func bridgesToNSError() {
    let error = NodeError(NativeError(status: .noBluetooth, message: "the system's Bluetooth service is not there: x"))
    let bridged = error as NSError
    #expect(bridged.domain == "rustle.node" && bridged.code == NodeError.Code.noBluetooth.rawValue)
    #expect(bridged.localizedDescription == "the system's Bluetooth service is not there: x")
  }

  @Test func codesKeepTheirNumbersAndHaveAdvice() {
    #expect(NodeError.Code.allCases.map(\.rawValue) == Array(1...23))
    #expect(Set(NodeError.Code.allCases.map(\.name)).count == 23)
  }

  @Test func eachStatusHasItsCodeAndAdvice() {
    for (status, code) in [
      (NativeStatus.noBluetooth, NodeError.Code.noBluetooth), (.invalidValue, .validation),
      (.invalidLength, .validation),
      (.rateOutOfRange, .validation), (.malformedFile, .malformedTable), (.shutDown, .shutDown), (.poisoned, .native),
      (.forked, .native), (.archiveMismatch, .native),
    ] {
      let error = NodeError(NativeError(status: status, message: "x"))
      #expect(error.code == code && !error.advice.isEmpty, "\(status)")
      #expect(!error.isRetryable)
    }
  }

  @Test func theOriginIsThePartThatHasToChange() {
    func codes(_ origin: ErrorOrigin) -> [NodeError.Code] { NodeError.Code.allCases.filter { $0.origin == origin } }
    #expect(codes(.arguments) == [.validation] && codes(.input) == [.notFound, .ambiguous])
    #expect(codes(.data) == [.malformedTable])
    #expect(codes(.machine) == [.noBluetooth, .noAdapter, .adapterOff, .notAuthorized])
    #expect(codes(.program).count == 15)
  }
}
