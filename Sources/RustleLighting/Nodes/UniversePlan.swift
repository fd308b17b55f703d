public import Foundation

/// Which node sends which universes of sACN, and who stands by for it.
///
/// Its file is JSON, as `docs/plan.schema.json` describes it:
///
/// ```json
/// {"v": 1, "start": "2026-11-28T20:00:00Z", "key": "a secret of the nodes",
///  "nodes": [{"name": "left", "address": "10.0.0.1:5570", "universes": "1-400", "standby": "right"},
///            {"name": "right", "address": "10.0.0.2:5570", "universes": "401-800", "standby": "left"}]}
/// ```
public struct UniversePlan: Sendable, Hashable {
  /// A node of the plan.
  public struct Node: Sendable, Hashable {
    /// The name, which its packets of sACN have too: 1 to 28 letters, digits, `-` and `_`.
    public let name: String
    /// Where it hears heartbeats, an IPv4 address with a port.
    public let address: String
    /// The universes that it owns, in ascending ranges; none: it only stands by.
    public let universes: [ClosedRange<Int>]
    /// The node that stands by for it; nil: none.
    public let standby: String?

    let socketAddress: DatagramAddress

    /// Whether it owns a universe.
    public func owns(_ universe: Int) -> Bool { universes.contains { $0.contains(universe) } }
  }

  /// When the show begins: its time, and the frames of all nodes, are counted from then on.
  public let start: Date
  /// The nodes.
  public let nodes: [Node]
  /// The key of the heartbeats.
  let key: [UInt8]
  /// The file.
  let text: String

  /// Reads a plan.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput``, which names what is wrong.
  public init(_ json: Data) throws(LightingError) {
    let file: PlanFile
    do { file = try JSONDecoder().decode(PlanFile.self, from: json) } catch {
      throw Self.malformed(Self.fault(of: error))
    }
    guard file.v == 1 else { throw Self.malformed("v: expected 1, got \(file.v)") }
    guard let start = try? Date(file.start, strategy: .iso8601), start.timeIntervalSince1970 > 0 else {
      throw Self.malformed("start: expected a time such as 2026-11-28T20:00:00Z, got '\(file.start)'")
    }
    self.start = start
    key = Array((file.key ?? "").utf8)
    text = String(decoding: json, as: UTF8.self)
    var nodes: [Node] = []
    for (place, node) in file.nodes.enumerated() { nodes.append(try Self.read(node, at: "nodes[\(place)]")) }
    self.nodes = nodes
    try check()
  }

  /// The node of a name.
  public func node(_ name: String) -> Node? { nodes.first { $0.name == name } }

  /// The nodes for which one stands by.
  public func owners(behind name: String) -> [Node] { nodes.filter { $0.standby == name } }

  /// Those of some universes that no node owns.
  func unowned(of universes: [Int]) -> [Int] {
    universes.filter { universe in !nodes.contains { $0.owns(universe) } }
  }

  private static func read(_ node: PlanFile.Node, at place: String) throws(LightingError) -> Node {
    let isName = { (text: String) in
      (1...28).contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
          UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
    guard isName(node.name) else {
      throw malformed("\(place).name: expected 1 to 28 letters, digits, - and _, got '\(node.name)'")
    }
    guard let address = DatagramAddress(node.address), address.port > 0 else {
      throw malformed("\(place).address: expected an IPv4 address with a port, got '\(node.address)'")
    }
    guard address.isOfOneNode else {
      throw malformed("\(place).address: expected the address of one machine, got '\(node.address)'")
    }
    var universes: [DMXUniverse] = []
    do throws(LightingError) {
      if let list = node.universes { universes = try DMXUniverse.list(list, of: .sacn) }
    } catch {
      throw malformed("\(place).universes: \(error.message)")
    }
    return Node(
      name: node.name, address: node.address, universes: ranges(of: universes.map(\.number)), standby: node.standby,
      socketAddress: address)
  }

  private func check() throws(LightingError) {
    guard !nodes.isEmpty else { throw Self.malformed("nodes: expected one or more, got none") }
    var (names, owners): (Set<String>, [Int: String]) = ([], [:])
    var addresses: [DatagramAddress: String] = [:]
    for (place, node) in nodes.enumerated() {
      guard names.insert(node.name).inserted else {
        throw Self.malformed("nodes: expected different names, got '\(node.name)' twice")
      }
      if let other = addresses.updateValue(node.name, forKey: node.socketAddress) {
        throw Self.malformed(
          "nodes[\(place)].address: expected one of its own, got that of \(other), '\(node.address)'")
      }
      for universe in node.universes.joined() {
        if let other = owners.updateValue(node.name, forKey: universe) {
          throw Self.malformed("universe \(universe): expected one owner, got \(other) and \(node.name)")
        }
      }
    }
    for node in nodes {
      guard let standby = node.standby else { continue }
      guard standby != node.name, names.contains(standby) else {
        throw Self.malformed("standby of \(node.name): expected another node of the plan, got '\(standby)'")
      }
    }
  }

  /// The ranges of ascending numbers.
  static func ranges(of numbers: [Int]) -> [ClosedRange<Int>] {
    numbers.reduce(into: []) { ranges, number in
      if let last = ranges.last, last.upperBound == number - 1 {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
  }

  private static func malformed(_ fault: String) -> LightingError {
    LightingError(.malformedInput, fault, advice: "Write the plan as docs/plan.schema.json describes it.")
  }

  private static func fault(of error: any Error) -> String {
    let place = { (path: [any CodingKey]) in
      path.reduce("") { text, key in
        key.intValue.map { "\(text)[\($0)]" } ?? (text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)")
      }
    }
    switch error as? DecodingError {
    case .keyNotFound(let key, let context): return "\(place(context.codingPath + [key])): expected a value, got none"
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      let at = place(context.codingPath)
      return at.isEmpty ? "expected JSON, got another text" : "\(at): \(context.debugDescription)"
    default: return "expected JSON, got another text"
    }
  }
}

/// The file, before its values are checked. A key that it does not know is a fault: a mistyped `standby` would be none.
private struct PlanFile: Decodable {
  struct Node: Decodable {
    let name: String
    let address: String
    let universes: String?
    let standby: String?

    private enum CodingKeys: String, CodingKey, CaseIterable { case name, address, universes, standby }

    init(from decoder: any Decoder) throws {
      try AnyKey.check(decoder, CodingKeys.allCases.map(\.rawValue))
      let values = try decoder.container(keyedBy: CodingKeys.self)
      name = try values.decode(String.self, forKey: .name)
      address = try values.decode(String.self, forKey: .address)
      universes = try values.decodeIfPresent(String.self, forKey: .universes)
      standby = try values.decodeIfPresent(String.self, forKey: .standby)
    }
  }

  let v: Int
  let start: String
  let key: String?
  let nodes: [Node]

  private enum CodingKeys: String, CodingKey, CaseIterable { case v, start, key, nodes }

  init(from decoder: any Decoder) throws {
    try AnyKey.check(decoder, CodingKeys.allCases.map(\.rawValue))
    let values = try decoder.container(keyedBy: CodingKeys.self)
    v = try values.decode(Int.self, forKey: .v)
    start = try values.decode(String.self, forKey: .start)
    key = try values.decodeIfPresent(String.self, forKey: .key)
    nodes = try values.decode([Node].self, forKey: .nodes)
  }
}

private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }

  static func check(_ decoder: any Decoder, _ known: [String]) throws {
    let keys = try decoder.container(keyedBy: Self.self).allKeys.filter { !known.contains($0.stringValue) }
    guard let other = keys.min(by: { $0.stringValue < $1.stringValue }) else { return }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: decoder.codingPath + [other],
        debugDescription: "expected one of \(known.joined(separator: ", ")), got '\(other.stringValue)'"))
  }
}
