/// A scanner of one line of an equalizer's text: words of letters, and numbers.
struct EqualizerTextScanner {
  /// A number as written.
  struct Number {
    /// Digits, signs, marks and spaces between digits.
    let text: String
    /// The value; nil when the text is not a number.
    let value: Double?
  }

  private let scalars: ArraySlice<Unicode.Scalar>
  private var index: Int

  init(_ scalars: ArraySlice<Unicode.Scalar>) {
    self.scalars = scalars
    index = scalars.startIndex
  }

  /// Whether nothing is left but blanks and a comment.
  mutating func isAtEnd() -> Bool {
    skipBlanks()
    return index == scalars.endIndex || scalars[index] == "#" || scalars[index] == ";"
  }

  /// The next word in capitals; nil when no letter comes next.
  mutating func word() -> String? {
    skipBlanks()
    let start = index
    while index < scalars.endIndex, scalars[index].isLetter { index += 1 }
    return start == index ? nil : String(String.UnicodeScalarView(scalars[start..<index])).uppercased()
  }

  /// The next number; nil when no number comes next.
  ///
  /// - Parameter isFrequency: whether groups of three digits are thousands.
  mutating func number(isFrequency: Bool = false) -> Number? {
    skipBlanks()
    let start = index
    while index < scalars.endIndex {
      let scalar = scalars[index]
      let next = index + 1 < scalars.endIndex ? scalars[index + 1] : " "
      // The e of an exponent has a digit or a sign behind it, unlike that of a word.
      guard scalar.isNumeric || scalar == "e" || scalar == "E", scalar.isNumeric || next.isDigit || next.isSign else {
        break
      }
      index += 1
    }
    guard start < index else { return nil }
    let text = String(String.UnicodeScalarView(scalars[start..<index]))
    return Number(text: text, value: Self.value(of: scalars[start..<index], isFrequency: isFrequency))
  }

  /// The rest of the line, shortened for an error.
  mutating func rest() -> String {
    skipBlanks()
    return String(String.UnicodeScalarView(scalars[index...])).excerpt
  }

  private mutating func skipBlanks() {
    while index < scalars.endIndex, scalars[index].isBlank { index += 1 }
  }

  /// The value of a number with a point or a comma as its decimal mark. The mark that comes last is the decimal one when both
  /// stand there.
  private static func value(of scalars: ArraySlice<Unicode.Scalar>, isFrequency: Bool) -> Double? {
    var text = ""
    for scalar in scalars where !scalar.isGroupingSpace { text.unicodeScalars.append(scalar.isMinus ? "-" : scalar) }
    let marks = text.filter { $0 == "." || $0 == "," }
    if Set(marks).count == 2, let decimal = marks.last {
      guard marks.filter({ $0 == decimal }).count == 1 else { return nil }
      text.removeAll { $0 != decimal && ($0 == "." || $0 == ",") }
    } else if isFrequency, hasThousands(text) {
      text.removeAll { $0 == "." || $0 == "," }
    }
    text = text.replacing(",", with: ".")
    // Only digits, marks, signs and exponents are here, so that this takes no `nan`, `inf` or hexadecimal number.
    return Double(text)
  }

  /// Whether the digits stand in groups: one to three, and then threes.
  private static func hasThousands(_ text: String) -> Bool {
    let groups = text.drop { $0 == "+" || $0 == "-" }.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    guard groups.count > 1, groups.allSatisfy({ $0.allSatisfy(\.isNumber) }) else { return false }
    return (1...3).contains(groups[0].count) && groups[0] != "0" && groups.dropFirst().allSatisfy { $0.count == 3 }
  }
}

extension Unicode.Scalar {
  fileprivate var isLetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
  /// Hyphen-minus and the minus sign that typesetters put in its place.
  fileprivate var isMinus: Bool { self == "-" || self == "\u{2212}" }
  fileprivate var isSign: Bool { self == "+" || isMinus }
  /// The spaces that do not break a line, with which French and Nordic systems group digits.
  fileprivate var isGroupingSpace: Bool { self == "\u{A0}" || self == "\u{202F}" }
  fileprivate var isNumeric: Bool { isDigit || isSign || self == "." || self == "," || isGroupingSpace }
  var isBlank: Bool { self == " " || self == "\t" || isGroupingSpace }
}
