public import Foundation

/// An error of one of this package's domains: a stable code, the expected and the actual value, and advice.
///
/// A domain declares its codes, their advice and its `errorDomain`; the localized texts and the bridge to `NSError` are shared.
public protocol CodedError: LocalizedError, CustomNSError, Sendable, Hashable {
  /// The kinds of error.
  associatedtype Code: ErrorCode

  /// The kind of error.
  var code: Code { get }
  /// The expected and the actual value, in one sentence.
  var message: String { get }
  /// What the caller can do.
  var advice: String { get }
  /// Whether the same call may succeed later.
  var isRetryable: Bool { get }
  /// The entries of the bridged error besides ``message``, ``advice`` and the code's name; none by default.
  var furtherUserInfo: [String: Any] { get }
}

/// The part that has to change before a failed call can succeed.
public enum ErrorOrigin: Sendable, Hashable, CaseIterable {
  /// The arguments: a value out of range, a name in use.
  case arguments
  /// The input: it does not exist, or cannot be read.
  case input
  /// The content of the input.
  case data
  /// The machine: a device, an address, memory, room for a file.
  case machine
  /// The program: a call in the wrong state, or a fault of this package.
  case program
}

/// The kinds of error of a ``CodedError``. Numbers and names are stable; new ones are appended.
public protocol ErrorCode: Sendable, Hashable, CaseIterable {
  /// The number, from 1 on.
  var number: Int { get }
  /// The code as a text.
  var name: String { get }
  /// The part that has to change before the call can succeed.
  var origin: ErrorOrigin { get }
}

extension ErrorCode {
  /// The name of the case.
  public var name: String { "\(self)" }
}

extension ErrorCode where Self: RawRepresentable, RawValue == Int {
  /// The raw value.
  public var number: Int { rawValue }
}

extension ErrorCode where Self: RawRepresentable, RawValue == String {
  /// The position in the order of declaration: 1 for the first.
  public var number: Int {
    // Every code is in the list.
    (Self.allCases.enumerated().first { $0.element == self }?.offset ?? 0) + 1
  }

  /// The raw value.
  public var name: String { rawValue }
}

extension CodedError {
  /// The message.
  public var errorDescription: String? { message }
  /// The advice.
  public var recoverySuggestion: String? { advice }
  /// nil: the message has the reason.
  public var failureReason: String? { nil }
  /// nil.
  public var helpAnchor: String? { nil }
  /// The number of the code.
  public var errorCode: Int { code.number }
  /// No entries.
  public var furtherUserInfo: [String: Any] { [:] }
  /// Message and advice under Foundation's keys, and the name of the code under `"code"`.
  public var errorUserInfo: [String: Any] {
    furtherUserInfo.merging(
      [NSLocalizedDescriptionKey: message, NSLocalizedRecoverySuggestionErrorKey: advice, "code": code.name]
    ) { _, common in common }
  }
}

/// A domain's error that is made from an error of the native side.
package protocol NativeCodedError: CodedError {
  init(_ error: NativeError)
}

extension NativeCodedError {
  /// Calls into the native side with this domain's error.
  package static func rethrowing<Result: ~Copyable>(
    _ body: () throws(NativeError) -> Result
  ) throws(Self) -> Result {
    do {
      return try body()
    } catch {
      throw Self(error)
    }
  }
}
