internal import RustleFiles

/// A sign of life of a node: a line of text, `rustle-heartbeat 2 NODE EPOCH NUMBER SHOW TOKEN TAG`.
struct Heartbeat: Sendable, Hashable {
  /// The node.
  var node: String
  /// When its process began, in milliseconds since 1970: that of a process is above that of the one before.
  var epoch: UInt64
  /// The number in the epoch.
  var number: UInt64
  /// What it plays: 64 hexadecimal digits.
  var show: String
  /// The fencing token of its lease; 0: it holds none.
  var token: UInt64

  private static let beginning = "rustle-heartbeat 2"

  init(node: String, epoch: UInt64, number: UInt64, show: String, token: UInt64 = 0) {
    (self.node, self.epoch, self.number, self.show, self.token) = (node, epoch, number, show, token)
  }

  /// Reads a datagram; nil for one that is none, or was not made with the key.
  init?(_ bytes: [UInt8], key: [UInt8]) {
    guard bytes.count <= 512, let last = bytes.lastIndex(of: UInt8(ascii: " ")) else { return nil }
    let (body, tag) = (Array(bytes[..<last]), String(decoding: bytes[(last + 1)...], as: UTF8.self))
    let words = String(decoding: body, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard SHA256.tag(of: body, key: key) == tag, words.count == 7, words[..<2].joined(separator: " ") == Self.beginning,
      let epoch = UInt64(words[3]), let number = UInt64(words[4]), let token = UInt64(words[6])
    else { return nil }
    self.init(node: String(words[2]), epoch: epoch, number: number, show: String(words[5]), token: token)
  }

  /// The datagram.
  func bytes(key: [UInt8]) -> [UInt8] {
    let body = Array("\(Self.beginning) \(node) \(epoch) \(number) \(show) \(token)".utf8)
    return body + Array(" \(SHA256.tag(of: body, key: key))".utf8)
  }
}
