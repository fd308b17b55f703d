public import Foundation

/// A JSON value.
public enum JSON: Sendable, Hashable, Codable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// Decodes any value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  /// Encodes the value; numbers that JSON lacks as null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): if value.isFinite { try container.encode(value) } else { try container.encodeNil() }
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// The deepest nesting that is read: a decoder's stack is bounded.
  public static let maximumDepth = 32

  /// Reads a text; nil for what is no JSON, or nested too deeply.
  public init?(text: some DataProtocol) {
    guard Self.depth(of: text) <= Self.maximumDepth,
      let value = try? JSONDecoder().decode(Self.self, from: Data(text))
    else { return nil }
    self = value
  }

  /// The most arrays and objects that are open at once.
  private static func depth(of text: some DataProtocol) -> Int {
    var (depth, deepest, isString, isEscaped) = (0, 0, false, false)
    for byte in text {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = isString
      case UInt8(ascii: "\""): isString.toggle()
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if !isString { depth += 1 }
        deepest = max(deepest, depth)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isString { depth -= 1 }
      default: break
      }
    }
    return deepest
  }

  /// The text, its keys in order.
  public var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }

  /// A value of an object; null for another kind or without the key.
  public subscript(key: String) -> JSON { if case .object(let value) = self { value[key] ?? .null } else { .null } }

  /// The number; nil for another kind.
  public var number: Double? { if case .number(let value) = self { value } else { nil } }
  /// The text; nil for another kind.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The truth value; nil for another kind.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The elements; nil for another kind.
  public var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral {
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An object; of a key that is there twice the last value.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }

  /// An integer as a number.
  public static func integer(_ value: some BinaryInteger) -> JSON { .number(Double(value)) }
  /// A text, or null.
  public static func optional(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
  /// Texts.
  public static func strings(_ values: some Sequence<String>) -> JSON { .array(values.map { .string($0) }) }
  /// Numbers.
  public static func numbers(_ values: some Sequence<Double>) -> JSON { .array(values.map { .number($0) }) }
}
