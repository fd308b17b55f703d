/// What a `Range` header asks of a file (RFC 9110, section 14).
public enum ByteRange: Sendable, Hashable {
  /// The header is none of one range of bytes, and is ignored: the whole file is served.
  case ignored
  /// The range has a byte of the file at least.
  case satisfiable
  /// The range has no byte of the file: 416.
  case unsatisfiable

  /// Reads a header for a file of `size` bytes.
  public init(_ header: String, size: Int) {
    let parts = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard header.hasPrefix("bytes="), parts.count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } })
    else {
      self = .ignored
      return
    }
    switch (Int(parts[0]), Int(parts[1])) {
    case (nil, let count?) where parts[0].isEmpty: self = count > 0 && size > 0 ? .satisfiable : .unsatisfiable
    case (let first?, nil) where parts[1].isEmpty: self = first < size ? .satisfiable : .unsatisfiable
    case (let first?, let last?) where first <= last: self = first < size ? .satisfiable : .unsatisfiable
    default: self = .ignored
    }
  }
}
