internal import CRustle

/// The symbols that the consumers of a feed want together.
package struct NativeWanted: Sendable {
  /// Whether somebody wants all.
  package let isAll: Bool
  /// What is wanted by name, in the order of the names' bytes.
  package let names: [String]
}

/// What the host of a feed tells it and asks it.
extension NativeFeed {
  /// Has a source that the host fills read `bytes`, and returns how many it took.
  package borrowing func push(_ bytes: Span<UInt8>) throws(NativeError) -> Int {
    let feed = raw
    var taken = 0
    try unsafe bytes.withUnsafeBufferPointer { bytes throws(NativeError) in
      try unsafe NativeError.check { unsafe rustle_feed_push(feed, bytes.baseAddress, bytes.count, &taken, $0) }
    }
    return taken
  }

  /// Tells the consumers of a source that the host fills of the host's connection.
  package borrowing func tell(_ news: NativeHostNews, _ note: String) throws(NativeError) {
    let feed = raw
    let (kind, retry, failures) = news.numbers
    try unsafe withNativeStrings([note]) { texts throws(NativeError) in
      try unsafe NativeError.check { unsafe rustle_feed_tell(feed, kind, retry, failures, texts[0], $0) }
    }
  }

  /// What the consumers want at present.
  package borrowing func wanted() -> NativeWanted {
    let feed = raw
    var record = RustleFeedWanted()
    var bytes: [UInt8] = []
    repeat {
      // Between two calls more may have come to be wanted.
      bytes = [UInt8](repeating: 0, count: record.length)
      var span = bytes.mutableSpan
      unsafe span.withUnsafeMutableBufferPointer { bytes in
        // The only refusal is a stale handle, and this object owns it.
        _ = unsafe rustle_feed_wanted(feed, bytes.baseAddress, bytes.count, &record, nil)
      }
    } while record.length > bytes.count
    let names = bytes[..<record.length].split(separator: UInt8(ascii: "\n"))
    return NativeWanted(isAll: record.all != 0, names: names.map { String(decoding: $0, as: UTF8.self) })
  }
}

/// How long a host waits before it connects again.
package enum NativeBackoff {
  /// Draws a wait in nanoseconds: from 0 to a bound that begins with `base` and doubles with each of the failures in a row but the
  /// first, up to `cap`.
  package static func wait(base: UInt64, cap: UInt64, failures: Int, seed: UInt64) throws(NativeError) -> UInt64 {
    var wait: UInt64 = 0
    try unsafe NativeError.check {
      unsafe rustle_feed_backoff(base, cap, UInt32(clamping: failures), seed, &wait, $0)
    }
    return wait
  }
}
