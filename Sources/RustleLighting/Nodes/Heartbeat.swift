internal import RustleFiles

/// A sign of life of a node: a line of text, `rustle-heartbeat 1 NODE EPOCH NUMBER SHOW TAG`.
struct Heartbeat: Sendable, Hashable {
  /// The node.
  var node: String
  /// When its process began, in milliseconds since 1970: that of a process is above that of the one before.
  var epoch: UInt64
  /// The number in the epoch.
  var number: UInt64
  /// What it plays: 64 hexadecimal digits.
  var show: String

  private static let beginning = "rustle-heartbeat 1"

  init(node: String, epoch: UInt64, number: UInt64, show: String) {
    (self.node, self.epoch, self.number, self.show) = (node, epoch, number, show)
  }

  /// Reads a datagram; nil for one that is none, or was not made with the key.
  init?(_ bytes: [UInt8], key: [UInt8]) {
    guard bytes.count <= 512, let last = bytes.lastIndex(of: UInt8(ascii: " ")) else { return nil }
    let (body, tag) = (Array(bytes[..<last]), String(decoding: bytes[(last + 1)...], as: UTF8.self))
    let words = String(decoding: body, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard SHA256.tag(of: body, key: key) == tag, words.count == 6, words[..<2].joined(separator: " ") == Self.beginning,
      let epoch = UInt64(words[3]), let number = UInt64(words[4])
    else { return nil }
    self.init(node: String(words[2]), epoch: epoch, number: number, show: String(words[5]))
  }

  /// The datagram.
  func bytes(key: [UInt8]) -> [UInt8] {
    let body = Array("\(Self.beginning) \(node) \(epoch) \(number) \(show)".utf8)
    return body + Array(" \(SHA256.tag(of: body, key: key))".utf8)
  }
}
