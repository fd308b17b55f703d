import Foundation
import RustleCore
import TestSupport
import Testing

@testable import RustleAudio

@Suite(.releasesNativeObjects) struct FFTErrorTests {
  @Test func validationErrorBridgesToNSError() throws {
    let error = #expect(throws: FFTError.self) { try FFT(size: 1_000) }
    let bridged = try #require(error) as NSError
    #expect(bridged.domain == "rustle.fft")
    #expect(bridged.code == FFTError.Code.validation.rawValue)
    #expect(bridged.userInfo["code"] as? String == "VALIDATION_ERROR")
    #expect(bridged.localizedDescription == "size: expected a power of two from 64 to 65536, got 1000")
    #expect(bridged.localizedRecoverySuggestion?.isEmpty == false)
  }

  @Test func nativeFaultBridgesToNSError() {
    let bridged = FFTError(NativeError(status: .panicked, message: "bin 7 is missing")) as NSError
    #expect(bridged.domain == "rustle.fft")
    #expect(bridged.code == FFTError.Code.fft.rawValue)
    #expect(bridged.userInfo["code"] as? String == "FFT_ERROR")
    #expect(bridged.localizedDescription == "bin 7 is missing")
  }

  @Test func onlyAnExhaustedSystemIsWorthARetry() {
    for status in [NativeStatus.panicked, .archiveMismatch, .invalidLength, .unknown(99)] {
      #expect(!FFTError(NativeError(status: status, message: "")).isRetryable)
    }
    #expect(FFTError(NativeError(status: .exhausted, message: "")).isRetryable)
  }

  @Test func codesKeepTheirNumbersAndNames() {
    #expect(FFTError.Code.allCases.map(\.rawValue) == [1, 2])
    #expect(FFTError.Code.allCases.map(\.name) == ["VALIDATION_ERROR", "FFT_ERROR"])
  }
}
