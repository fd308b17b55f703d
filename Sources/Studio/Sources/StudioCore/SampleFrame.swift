/// A value of a topic on its way to clients: encoded once, shared by all.
public struct SampleFrame: Sendable, Equatable {
  /// The version in the first byte.
  public static let version: UInt8 = 1
  /// The bytes before the payload: version, topic, flags, sequence number, time, lost values.
  public static let headerLength = 20

  /// The topic.
  public let topic: Topic
  /// The number of the value in its topic, from 0.
  public let sequence: UInt32
  /// The time in microseconds since the server's start.
  public let time: UInt64
  /// The topic's values, little-endian.
  public let payload: [UInt8]

  /// - Parameters:
  ///   - topic: the topic.
  ///   - sequence: the number of the value in its topic.
  ///   - time: microseconds since the server's start.
  ///   - payload: the topic's values, little-endian.
  public init(_ topic: Topic, sequence: UInt32, time: UInt64, payload: [UInt8]) {
    (self.topic, self.sequence, self.time, self.payload) = (topic, sequence, time, payload)
  }

  /// The bytes for a client that has lost so many values since the frame before.
  public func bytes(lost: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headerLength + payload.count)
    bytes.append(Self.version)
    bytes.append(topic.rawValue)
    bytes.append(integer: 0 as UInt16)
    bytes.append(integer: sequence)
    bytes.append(integer: time)
    bytes.append(integer: lost)
    bytes += payload
    return bytes
  }
}

extension [UInt8] {
  /// Appends an integer, little-endian.
  public mutating func append(integer: some FixedWidthInteger) {
    for byte in 0..<integer.bitWidth / 8 { append(UInt8(truncatingIfNeeded: integer >> (8 * byte))) }
  }

  /// Appends a number in 8 bytes, little-endian.
  public mutating func append(number: Double) { append(integer: number.bitPattern) }

  /// Appends a number in 4 bytes, little-endian.
  public mutating func append(number: Float) { append(integer: number.bitPattern) }

  /// Adds the first 255 bytes of a text, after their count in one byte.
  public mutating func append(text: String) {
    let text = text.utf8.prefix(255)
    append(UInt8(text.count))
    append(contentsOf: text)
  }

  /// An integer at an offset, little-endian; nil past the end.
  public func integer<Integer: FixedWidthInteger>(at offset: Int, as type: Integer.Type = Integer.self) -> Integer? {
    let length = Integer.bitWidth / 8
    guard offset >= 0, count - offset >= length else { return nil }
    return (0..<length).reduce(0) { $0 | Integer(truncatingIfNeeded: self[offset + $1]) << (8 * $1) }
  }
}
