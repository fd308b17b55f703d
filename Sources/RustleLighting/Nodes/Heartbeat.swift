internal import RustleFiles

/// A sign of life of a node: a line of text, `rustle-heartbeat 3 NODE EPOCH NUMBER SENT SHOW TOKEN TAG`.
struct Heartbeat: Sendable, Hashable {
  /// The node.
  var node: String
  /// When its process began, in milliseconds since 1970: that of a process is above that of the one before.
  var epoch: UInt64
  /// The number in the epoch; ``last``: the node ends in order.
  var number: UInt64
  /// When it was sent, in milliseconds since 1970: one that was recorded is known by it when it is sent again.
  var sent: UInt64
  /// What it plays: 64 hexadecimal digits.
  var show: String
  /// The fencing token of its lease; 0: it holds none.
  var token: UInt64

  /// The number of an epoch's last heartbeat.
  static let last = UInt64.max

  private static let beginning = "rustle-heartbeat 3"

  init(node: String, epoch: UInt64, number: UInt64, sent: UInt64, show: String, token: UInt64 = 0) {
    (self.node, self.epoch, self.number, self.sent) = (node, epoch, number, sent)
    (self.show, self.token) = (show, token)
  }

  /// Reads a datagram; nil for one that is none, or was not made with the key.
  init?(_ bytes: [UInt8], key: [UInt8]) {
    guard bytes.count <= 512, let last = bytes.lastIndex(of: UInt8(ascii: " ")) else { return nil }
    let (body, tag) = (Array(bytes[..<last]), String(decoding: bytes[(last + 1)...], as: UTF8.self))
    let words = String(decoding: body, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard SHA256.tag(of: body, key: key) == tag, words.count == 8, words[..<2].joined(separator: " ") == Self.beginning,
      let epoch = UInt64(words[3]), let number = UInt64(words[4]), let sent = UInt64(words[5]),
      let token = UInt64(words[7])
    else { return nil }
    self.init(
      node: String(words[2]), epoch: epoch, number: number, sent: sent, show: String(words[6]), token: token)
  }

  /// The datagram.
  func bytes(key: [UInt8]) -> [UInt8] {
    let body = Array("\(Self.beginning) \(node) \(epoch) \(number) \(sent) \(show) \(token)".utf8)
    return body + Array(" \(SHA256.tag(of: body, key: key))".utf8)
  }

  /// How far its time is from another one in milliseconds since 1970; negative: it was sent before.
  func offset(from calendar: UInt64) -> Duration {
    .milliseconds(sent >= calendar ? Int64(clamping: sent - calendar) : -Int64(clamping: calendar - sent))
  }
}
