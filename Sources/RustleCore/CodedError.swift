public import Foundation

/// An error of one of this package's domains: a stable code, what was expected and what came, and what to do about it.
///
/// A domain declares its codes, their advice and its `errorDomain`; texts for people and the bridge to `NSError` are the same for
/// all.
public protocol CodedError: LocalizedError, CustomNSError, Sendable, Hashable {
  /// The kinds of refusal.
  associatedtype Code: ErrorCode

  /// The kind of refusal.
  var code: Code { get }
  /// What was expected and what came, as one sentence.
  var message: String { get }
  /// What to do about it.
  var advice: String { get }
  /// Whether the same call may succeed later.
  var isRetryable: Bool { get }
  /// What the bridged error tells besides ``message``, ``advice`` and the code's name; nothing unless a domain says so.
  var furtherUserInfo: [String: Any] { get }
}

/// The kinds of refusal of a ``CodedError``. Numbers and names are stable; new ones are appended.
public protocol ErrorCode: Sendable, Hashable, CaseIterable {
  /// From 1 on.
  var number: Int { get }
  /// The code as a text.
  var name: String { get }
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
  /// The place in the order of declaration: 1 for the first.
  public var number: Int {
    // Every code is among them.
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
  /// Nothing: the message has it.
  public var failureReason: String? { nil }
  /// Nothing.
  public var helpAnchor: String? { nil }
  /// The number of the code.
  public var errorCode: Int { code.number }
  /// Nothing.
  public var furtherUserInfo: [String: Any] { [:] }
  /// Message and advice under Foundation's keys, and the name of the code under `"code"`.
  public var errorUserInfo: [String: Any] {
    furtherUserInfo.merging(
      [NSLocalizedDescriptionKey: message, NSLocalizedRecoverySuggestionErrorKey: advice, "code": code.name]
    ) { _, common in common }
  }
}

/// A domain's error that a refusal of the native side becomes.
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
