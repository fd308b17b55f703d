/// Puts the fragments of a WebSocket's messages together.
public struct MessageAssembly: Sendable {
  /// What a message is.
  public enum Kind: Sendable, Hashable {
    /// UTF-8.
    case text
    /// Bytes.
    case binary
  }

  /// A whole message.
  public enum Message: Sendable, Hashable {
    /// The bytes of a text, which are UTF-8.
    case text([UInt8])
    /// Bytes.
    case binary([UInt8])
  }

  /// What no client may send, with the code that closes its connection (RFC 6455, section 7.4.1).
  public enum Fault: Error, Sendable, Hashable {
    /// A fragment without a beginning, or a message within another one.
    case order
    /// A text that is no UTF-8.
    case encoding
    /// A message that is longer than the limit, in bytes.
    case length(Int)

    /// The code of the close frame.
    public var code: Int {
      switch self {
      case .order: 1_002
      case .encoding: 1_007
      case .length: 1_009
      }
    }

    /// What was expected.
    public var message: String {
      switch self {
      case .order: "expected the fragments of one message after the other"
      case .encoding: "expected UTF-8"
      case .length(let limit): "expected at most \(limit) bytes"
      }
    }
  }

  private let maximumLength: Int
  private var kind: Kind?
  private var bytes: [UInt8] = []

  /// - Parameter maximumLength: the maximum number of bytes of a message, all of its fragments together.
  public init(maximumLength: Int) { self.maximumLength = maximumLength }

  /// Adds a fragment.
  ///
  /// - Parameters:
  ///   - kind: what the message is that begins; nil: it continues the one that has begun.
  ///   - isLast: whether the message ends with it.
  /// - Returns: the whole message; nil when more follows.
  public mutating func append(_ fragment: [UInt8], as kind: Kind?, isLast: Bool) throws(Fault) -> Message? {
    guard (kind == nil) == (self.kind != nil), let kind = kind ?? self.kind else { throw .order }
    guard bytes.count + fragment.count <= maximumLength else { throw .length(maximumLength) }
    bytes += fragment
    self.kind = isLast ? nil : kind
    guard isLast else { return nil }
    defer { bytes = [] }
    switch kind {
    case .binary: return .binary(bytes)
    case .text:
      guard String(validating: bytes, as: UTF8.self) != nil else { throw .encoding }
      return .text(bytes)
    }
  }
}

/// The codes that close a WebSocket.
public enum CloseCode {
  /// The code that answers a client's close frame: its own, 1002 for one that is malformed, nil for none.
  public static func answer(to payload: [UInt8]) -> UInt16? {
    guard !payload.isEmpty else { return nil }
    guard payload.count > 1, String(validating: payload.dropFirst(2), as: UTF8.self) != nil else { return 1_002 }
    let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
    switch code {
    case 1_000...1_003, 1_007...1_014, 3_000...4_999: return code
    default: return 1_002
    }
  }
}
