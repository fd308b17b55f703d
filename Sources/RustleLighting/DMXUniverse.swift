/// A protocol of DMX over IP.
public enum DMXProtocol: String, Sendable, Hashable, CaseIterable {
  /// sACN, ANSI E1.31-2018.
  case sacn
  /// Art-Net 4. Art-Net is designed by and copyright Artistic Licence.
  case artNet = "artnet"

  /// The numbers of its universes.
  public var universeRange: ClosedRange<Int> { self == .sacn ? 1...63_999 : 0...32_767 }
}

/// A universe: a number of sACN, or a Port-Address of Art-Net. Neither is converted into the other.
///
/// ```swift
/// let first = try DMXUniverse(1, of: .sacn)
/// let port = try DMXUniverse("1.2.3", of: .artNet)
/// print(port, port.number)  // 1.2.3 (291) 291
/// ```
public struct DMXUniverse: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The protocol.
  public let `protocol`: DMXProtocol
  /// The number: 1 to 63999 of sACN, 0 to 32767 of Art-Net.
  public let number: Int

  /// - Throws: ``LightingError`` with ``LightingError/Code/universe`` for a number that the protocol does not have.
  public init(_ number: Int, of protocol: DMXProtocol) throws(LightingError) {
    let numbers = `protocol`.universeRange
    guard numbers.contains(number) else {
      throw LightingError(
        .universe, "universe: expected \(numbers.lowerBound) to \(numbers.upperBound), got \(number)",
        advice: `protocol` == .sacn ? "sACN begins with 1." : "Art-Net has 128 nets of 16 sub-nets of 16 universes.")
    }
    (self.protocol, self.number) = (`protocol`, number)
  }

  /// Reads `291`, and `1.2.3` of Art-Net: net, sub-net and universe.
  ///
  /// - Throws: as ``init(_:of:)-(Int,_)``, and for another text.
  public init(_ text: String, of protocol: DMXProtocol) throws(LightingError) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(Self.digits)
    let numbers = parts.compactMap(\.self)
    if numbers.count == parts.count, numbers.count == 1 {
      try self.init(numbers[0], of: `protocol`)
      return
    }
    if `protocol` == .artNet, numbers.count == 3, parts.count == 3, numbers[0] < 128, numbers[1] < 16, numbers[2] < 16 {
      try self.init(numbers[0] << 8 | numbers[1] << 4 | numbers[2], of: .artNet)
      return
    }
    let expected = `protocol` == .sacn ? "a number" : "a number, or net.sub-net.universe"
    throw LightingError(
      .universe, "universe: expected \(expected), got '\(text)'", advice: "Pass for example 1, or 0.0.1 of Art-Net.")
  }

  private static func digits(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
  }

  /// `1`, or `1.2.3 (291)` of Art-Net.
  public var description: String {
    guard self.protocol == .artNet else { return "\(number)" }
    return "\(number >> 8).\(number >> 4 & 15).\(number & 15) (\(number))"
  }

  /// Reads universes and ranges, `1-4,7`: in ascending order, each once.
  ///
  /// - Throws: as ``init(_:of:)-(String,_)``, and for a range that descends.
  public static func list(_ text: String, of protocol: DMXProtocol) throws(LightingError) -> [Self] {
    var numbers: Set<Int> = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      var ends: [Self] = []
      for end in item.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false) {
        ends.append(try Self(String(end), of: `protocol`))
      }
      guard let first = ends.first, let last = ends.last, first <= last else {
        throw LightingError(
          .universe, "universes: expected a range that ascends, got '\(item)'", advice: "Pass for example 1-4,7.")
      }
      numbers.formUnion(first.number...last.number)
    }
    var universes: [Self] = []
    for number in numbers.sorted() { universes.append(try Self(number, of: `protocol`)) }
    return universes
  }

  /// By protocol, then by number.
  public static func < (left: Self, right: Self) -> Bool {
    (left.protocol.rawValue, left.number) < (right.protocol.rawValue, right.number)
  }
}
