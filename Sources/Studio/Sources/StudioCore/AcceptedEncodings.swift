/// The encodings that a client takes, by its `Accept-Encoding` (RFC 9110, section 12.5.3).
public struct AcceptedEncodings: Sendable, Hashable {
  /// Whether it takes gzip.
  public let hasGzip: Bool

  /// - Parameter header: the header's value; nil: there is none, and nothing is compressed.
  public init(_ header: String?) {
    var others = false
    var gzip: Bool?
    for item in (header ?? "").split(separator: ",") {
      let parts = item.split(separator: ";").map { String($0.filter { !$0.isWhitespace }).lowercased() }
      // A weight of 0 refuses an encoding; one that is no number is none.
      let weights = parts.dropFirst().filter { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
      let isWanted = (weights.first ?? 1) > 0
      switch parts.first {
      case "gzip", "x-gzip": gzip = isWanted
      case "*": others = isWanted
      default: break
      }
    }
    hasGzip = gzip ?? others
  }
}
