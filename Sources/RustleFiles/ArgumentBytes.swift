package import Foundation

/// The bytes of a process's arguments. A `String` has none of an argument that is not UTF-8: each is replaced by U+FFFD.
package enum ArgumentBytes {
  /// The first argument that is not UTF-8, and its position from 1 on; nil without one.
  ///
  /// - Parameters:
  ///   - arguments: those after the program's name.
  ///   - commandLine: the program's name and the arguments, each with a zero byte behind it, as in Linux's
  ///     `/proc/self/cmdline`; nil where the system has no such file, and each replaced character counts.
  /// - Returns: the argument with each byte that is not part of a character as `\xE9`.
  package static func malformed(in arguments: [String], commandLine: Data?) -> (position: Int, text: String)? {
    let words = commandLine?.split(separator: 0, omittingEmptySubsequences: false).dropFirst()
    for (position, argument) in zip(1..., arguments) where argument.unicodeScalars.contains("\u{FFFD}") {
      guard let words, words.count >= arguments.count else { return (position, argument) }
      let bytes = words[words.startIndex + position - 1]
      if String(data: bytes, encoding: .utf8) == nil { return (position, escaped(bytes)) }
    }
    return nil
  }

  /// The text of bytes, in which each that is not part of a character is as `\xE9`.
  package static func escaped(_ bytes: Data) -> String {
    var (text, rest) = ("", bytes[...])
    while let byte = rest.first {
      // A character has at most four bytes.
      if let length = (1...4).first(where: { String(data: rest.prefix($0), encoding: .utf8) != nil }) {
        text += String(data: rest.prefix(length), encoding: .utf8) ?? ""
        rest = rest.dropFirst(length)
      } else {
        text += String(format: "\\x%02X", byte)
        rest = rest.dropFirst()
      }
    }
    return text
  }
}
