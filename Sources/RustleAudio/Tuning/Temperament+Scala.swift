public import Foundation

extension Temperament {
  /// The most bytes of a Scala file.
  public static let maximumScalaLength = 1 << 20

  /// Reads a scale in the format of Scala (`.scl`): a description, the number of steps, and that many lines, each with a ratio
  /// (`3/2`, `2`) or with cents, which have a point (`701.955`). Lines that begin with `!` are remarks, and so is the text after
  /// an interval. The last step is the period, 2/1 or another.
  ///
  /// ```
  /// ! fifths.scl
  /// A scale of one pure fifth
  ///  2
  /// !
  ///  3/2
  ///  2/1
  /// ```
  ///
  /// Ratios of numbers beyond 64 bits become cents. A scale without steps, which the format allows, is refused: it has no period.
  ///
  /// - Parameter text: at most ``maximumScalaLength`` bytes.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; the message begins with the line, for example `line 5:
  ///   expected a ratio such as 3/2 or cents with a point, got "-3/2"`.
  public init(scala text: String) throws(AudioError) {
    guard text.utf8.count <= Self.maximumScalaLength else {
      throw .validation("scale", expected: "at most \(Self.maximumScalaLength) bytes", got: "\(text.utf8.count)")
    }
    var lines = ScalaLines(text)
    let name = try lines.next("a description, which may be an empty line").text
    let (count, countLine) = try Self.stepCount(&lines)
    var steps: [ScaleInterval] = []
    while steps.count < count {
      let (line, number) = try lines.next("\(count) steps, of which there are \(steps.count)")
      let trimmed = line.drop(while: \.isWhitespace)
      guard let step = ScaleInterval(scala: String(trimmed)), abs(step.cents) <= Self.maximumInterval else {
        throw .scala(number, "a ratio such as 3/2 or cents with a point", got: String(trimmed).excerpt)
      }
      if steps.count == count - 1, step.cents < Self.minimumPeriod {
        throw .scala(number, "a period of at least \(Self.minimumPeriod.plain) cent as the last step", got: "\(step)")
      }
      steps.append(step)
    }
    guard !steps.isEmpty else { throw .scala(countLine, "1 to \(Self.maximumStepCount) steps", got: "0") }
    // Lines after the steps are ignored, as in Scala.
    try self.init(name: Self.oneLine(name), steps: steps)
  }

  /// Reads a Scala file as ``init(scala:)`` does: in UTF-8, or if it is not valid UTF-8, in ISO 8859-1, the encoding of old
  /// files.
  ///
  /// - Throws: as ``init(scala:)``.
  public init(scalaFile data: Data) throws(AudioError) {
    let latin = { String(String.UnicodeScalarView(data.map { Unicode.Scalar($0) })) }
    try self.init(scala: String(data: data, encoding: .utf8) ?? latin())
  }

  /// Returns the text of a Scala file that ``init(scala:)`` reads back as the same scale, cents to 30 decimals.
  ///
  /// - Returns: lines that end with a line feed.
  public func scala() -> String {
    // A name that begins with an exclamation mark would be a remark.
    let heading = name.hasPrefix("!") ? " " + name : name
    let lines = [heading, " \(steps.count)", "!"] + steps.map { " \($0)" }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The number of steps and its line. A remark may follow it.
  private static func stepCount(_ lines: inout ScalaLines) throws(AudioError) -> (Int, Int) {
    let (line, number) = try lines.next("the number of steps")
    let words = line.split(whereSeparator: \.isWhitespace)
    guard let word = words.first, let count = Int(word), (0...maximumStepCount).contains(count) else {
      throw .scala(number, "the number of steps, 1 to \(maximumStepCount)", got: line.excerpt)
    }
    return (count, number)
  }

  /// A description without the characters that a name must not have.
  private static func oneLine(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: " "
      default: scalar
      }
    }
    let line = String(String.UnicodeScalarView(scalars)).trimmingCharacters(in: .whitespaces)
    return String(line.prefix(maximumNameLength))
  }
}

/// The lines of a file in one of Scala's formats, without remarks.
struct ScalaLines {
  private let lines: [String]
  private var index = 0

  init(_ text: String) {
    var lines: [String.UnicodeScalarView] = [.init()]
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{FEFF}" where previous == nil: break
      case "\n" where previous == "\r": break
      case "\n", "\r": lines.append(.init())
      default: lines[lines.count - 1].append(scalar)
      }
      previous = scalar
    }
    // The end of the last line does not begin another.
    if lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines.map(String.init)
  }

  /// The next line and its number.
  ///
  /// - Parameter expected: the expected content, for the error at the end of the text.
  mutating func next(_ expected: String) throws(AudioError) -> (text: String, number: Int) {
    guard let line = nextIfAny() else { throw .scala(lines.count + 1, expected, got: "the end of the file") }
    return line
  }

  /// The next line and its number; nil at the end.
  mutating func nextIfAny() -> (text: String, number: Int)? {
    while index < lines.count {
      index += 1
      if !lines[index - 1].hasPrefix("!") { return (lines[index - 1], index) }
    }
    return nil
  }
}

extension AudioError {
  /// The error of a line in one of Scala's formats.
  static func scala(_ line: Int, _ expected: String, got: String) -> Self {
    .validation("line \(line)", expected: expected, got: got, advice: "Correct the line, or choose another file.")
  }
}
