import Foundation
import Testing

@testable import RustleCore

/// The declaration of a domain: its codes and their advice.
private struct LampError: NativeCodedError {
  enum Code: Int, ErrorCode {
    case tooBright = 1
    case burnt = 7

    var origin: ErrorOrigin { self == .tooBright ? .arguments : .machine }
  }

  static let errorDomain = "rustle.lamp"

  let code: Code
  let message: String

  init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: NativeError) {
    self.init(code: error.status == .invalidValue ? .tooBright : .burnt, message: error.message)
  }

  var advice: String { code == .burnt ? "Change it." : "Choose a value within the range." }
  var isRetryable: Bool { code == .burnt }
}

struct CodedErrorTests {
  private enum NamedCode: String, ErrorCode {
    case first = "LAMP_FIRST"
    case second = "LAMP_SECOND"

    var origin: ErrorOrigin { .program }
  }

  @Test func domainThatDeclaresItsCodesBridgesToNSError() {
    let error = LampError(code: .burnt, message: "expected light, got none")
    let bridged = error as NSError
    #expect(bridged.domain == "rustle.lamp")
    #expect(bridged.code == 7)
    #expect(bridged.localizedDescription == "expected light, got none")
    #expect(bridged.localizedRecoverySuggestion == "Change it.")
    #expect(bridged.localizedFailureReason == nil)
    #expect(bridged.userInfo["code"] as? String == "burnt")
  }

  @Test func codesHaveNumbersAndNames() {
    #expect(LampError.Code.allCases.map(\.number) == [1, 7])
    #expect(LampError.Code.allCases.map(\.name) == ["tooBright", "burnt"])
    #expect(NamedCode.allCases.map(\.number) == [1, 2])
    #expect(NamedCode.allCases.map(\.name) == ["LAMP_FIRST", "LAMP_SECOND"])
  }

  @Test func refusalOfTheNativeSideIsTheDomainsOwn() throws {
    #expect(try LampError.rethrowing { () throws(NativeError) in 5 } == 5)
    let error = #expect(throws: LampError.self) {
      try LampError.rethrowing { () throws(NativeError) in
        throw NativeError(status: .invalidValue, message: "expected 0 to 1, got 2")
      }
    }
    #expect(error == LampError(code: .tooBright, message: "expected 0 to 1, got 2"))
  }
}
