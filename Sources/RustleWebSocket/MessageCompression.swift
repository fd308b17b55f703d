#if WebSocket
/// The compression of messages that the client offers and a server accepts: permessage-deflate (RFC 7692).
///
/// The client's own messages are few and short, and are sent as they are: the server needs no context for them.
struct MessageCompression: Hashable, Sendable {
  static let offer = "permessage-deflate; client_no_context_takeover"

  /// Whether a message of the server refers to earlier ones.
  let keepsContext: Bool

  /// Reads the extensions of the server's answer, of which there is at least one.
  ///
  /// - Returns: nil when they are not those that were offered.
  init?(answer: [String]) {
    let parts = answer.joined(separator: ",").split(separator: ";", omittingEmptySubsequences: false).map {
      $0.trimming { $0 == " " || $0 == "\t" }
    }
    guard parts.first?.lowercased() == "permessage-deflate" else { return nil }
    var names = Set<String>()
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let (name, value) = (pair[0].lowercased(), pair.count > 1 ? pair[1].trimming { $0 == "\"" } : nil)
      switch (name, value) {
      case ("server_no_context_takeover", nil), ("client_no_context_takeover", nil): break
      case ("server_max_window_bits", let bits?): if !(8...15).map(String.init).contains(String(bits)) { return nil }
      default: return nil
      }
      guard names.insert(name).inserted else { return nil }
    }
    keepsContext = !names.contains("server_no_context_takeover")
  }
}

extension Substring {
  fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
    var rest = drop(while: isTrimmed)
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return rest
  }
}
#endif
