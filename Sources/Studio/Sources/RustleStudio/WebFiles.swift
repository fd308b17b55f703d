internal import CWeb
internal import NIOCore

/// A file of the page.
struct WebFile: Sendable {
  let bytes: ByteBuffer
  /// The same as gzip, made once; nil: of a file that is not worth it.
  let gzip: ByteBuffer?
  let type: String
  /// The quoted hash of the content.
  let tag: String
  /// Whether it may be worth compressing: fonts are compressed already.
  var isText: Bool { !type.hasPrefix("font/") }

  /// Whether `If-None-Match` names this content: `*`, or a list of tags, which may be weak.
  func matches(_ tags: String) -> Bool {
    tags.split(separator: ",").map { $0.trimmingPrefix(while: { $0 == " " }) }.contains {
      let tag = $0.hasPrefix("W/") ? $0.dropFirst(2) : $0
      return tag.prefix { $0 != " " } == self.tag || tag.prefix { $0 != " " } == "*"
    }
  }

  init(path: String, bytes: [UInt8]) {
    self.bytes = ByteBuffer(bytes: bytes)
    let type =
      switch path.split(separator: ".").last {
      case "html": "text/html; charset=utf-8"
      case "css": "text/css; charset=utf-8"
      case "js": "text/javascript; charset=utf-8"
      case "svg": "image/svg+xml"
      case "json": "application/json"
      case "webmanifest": "application/manifest+json"
      case "woff2": "font/woff2"
      default: "application/octet-stream"
      }
    self.type = type
    let compressed = type.hasPrefix("font/") ? [] : Self.compressed(bytes)
    gzip = compressed.isEmpty ? nil : ByteBuffer(bytes: compressed)
    // FNV-1a, 64 bits.
    let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    tag = "\"\(String(hash, radix: 16))\""
  }

  /// Bytes as gzip; empty: they would be no fewer.
  private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { room, count in
      count = unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe rustle_web_gzip(bytes.baseAddress, bytes.count, room.baseAddress, room.count)
      }
    }
  }

  /// The files that are in the program, by their paths.
  static let all: [String: WebFile] = {
    var files: [String: WebFile] = [:]
    for index in 0..<rustle_web_count() {
      guard let name = unsafe rustle_web_path(index) else { continue }
      let path = unsafe String(cString: name)
      let bytes = (0..<rustle_web_length(index)).map { rustle_web_byte(index, $0) }
      files[path] = WebFile(path: path, bytes: bytes)
    }
    return files
  }()
}
