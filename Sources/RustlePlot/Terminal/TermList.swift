/// A list of terms and their meanings in two columns of text.
public enum TermList {
  /// A row: terms with one meaning, or without one.
  public typealias Row = (terms: [String], meaning: String?)

  /// The lines of a list. Meanings are aligned behind the longest single term; several terms stand in lines of their own.
  ///
  /// - Parameters:
  ///   - rows: each with one term or more, in characters of one column.
  ///   - width: the most columns of a line; a longer word is not divided.
  public static func lines(_ rows: [Row], width: Int) -> [String] {
    let single = rows.filter { $0.terms.count == 1 && $0.meaning != nil }
    let margin = 4 + (single.map(\.terms[0].count).max() ?? 0)
    return rows.flatMap { terms, meaning -> [String] in
      var lines = wrap(terms.joined(separator: ", "), indent: 2, width: width)
      guard let meaning else { return lines }
      var text = wrap(meaning, indent: margin, width: width)
      // A short term stands before its meaning.
      if lines.count == 1, lines[0].count + 2 <= margin {
        let term = lines.removeLast()
        text[0] = term + text[0].dropFirst(term.count)
      }
      return lines + text
    }
  }

  /// The words of a text in lines that begin with spaces.
  public static func wrap(_ text: String, indent: Int = 0, width: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(margin + word)
      }
    }
    return lines
  }
}
