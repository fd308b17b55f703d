/// A microphone's frequency response: its deviation in dB at some frequencies.
///
/// It is corrected by one-third-octave filters from 20 Hz to 0.45 of the sample rate, within 1 dB; a meter refuses a response
/// that is too steep for them.
public struct MicrophoneResponse: Sendable, Hashable {
  /// A point of the response: the deviation at one frequency.
  public struct Point: Sendable, Hashable {
    /// The frequency in Hz.
    public let frequency: Double
    /// The deviation in dB; above 0: the microphone reads too high there.
    public let deviation: Double

    /// Creates a point of a frequency in Hz and a deviation in dB.
    public init(frequency: Double, deviation: Double) {
      self.frequency = frequency
      self.deviation = deviation
    }
  }

  /// The points by ascending frequency.
  public let points: [Point]

  /// The most points, and the most bytes of a file.
  static let maximumPointCount = 4_096
  static let maximumByteCount = 1_048_576

  /// - Parameter points: 1 to 4096 by ascending frequency. A ``SoundLevelMeter`` accepts deviations within 24 dB of that at 1
  ///   kHz.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(points: [Point]) throws(AudioError) {
    guard (1...Self.maximumPointCount).contains(points.count) else {
      throw .validation("points", expected: "1 to \(Self.maximumPointCount)", got: "\(points.count)")
    }
    var before = 0.0
    for (index, point) in points.enumerated() {
      guard point.frequency > before, point.frequency.isFinite else {
        throw .validation(
          "point \(index + 1)", expected: "a frequency above \(before) Hz", got: "\(point.frequency) Hz")
      }
      guard point.deviation.isFinite else {
        throw .validation("point \(index + 1)", expected: "a deviation in dB", got: "\(point.deviation)")
      }
      before = point.frequency
    }
    self.points = points
  }

  /// Reads a microphone's calibration file (`.cal`, `.frd`, `.txt`): on each line a frequency in Hz and a deviation in dB,
  /// separated by white space, commas or semicolons; a third number, a phase, is ignored. Where white space or semicolons
  /// separate the numbers, a comma within one is its decimal point. Lines that do not begin with a number are headings and
  /// remarks, also the sensitivity (`Sens Factor`), which does not include the converter behind the microphone and is not used.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``, which names the line.
  public init(calibrationFile text: String) throws(AudioError) {
    guard text.utf8.count <= Self.maximumByteCount else {
      throw .validation(
        "calibration file", expected: "at most \(Self.maximumByteCount) bytes", got: "\(text.utf8.count)")
    }
    var points: [Point] = []
    // A byte order mark is not part of the first number.
    let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let fields = Self.fields(of: line)
      guard let first = fields.first, let frequency = Double(first) else { continue }
      let before = points.last?.frequency ?? 0
      guard frequency > before, frequency.isFinite else {
        throw .validation(
          "line \(index + 1)", expected: "a frequency above \(before.plain) Hz", got: "\"\(line.prefix(60))\"",
          advice: "Pass a calibration file whose frequencies ascend.")
      }
      guard fields.count >= 2, let deviation = Double(fields[1]), deviation.isFinite else {
        throw .validation(
          "line \(index + 1)", expected: "a frequency in Hz and a deviation in dB", got: "\"\(line.prefix(60))\"",
          advice: "Pass a calibration file with two numbers a line.")
      }
      points.append(Point(frequency: frequency, deviation: deviation))
    }
    guard !points.isEmpty else {
      throw .validation(
        "calibration file", expected: "lines with a frequency and a deviation", got: "none",
        advice: "Pass a calibration file with two numbers a line.")
    }
    try self.init(points: points)
  }

  /// The numbers of a line, as text.
  private static func fields(of line: Substring) -> [String] {
    let fields = line.split { $0.isWhitespace || $0 == ";" }
    // Only commas separate the numbers.
    if fields.count == 1 { return fields[0].split(separator: ",").map(String.init) }
    return fields.flatMap { field -> [String] in
      let parts = field.split(separator: ",", omittingEmptySubsequences: false)
      if parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, parts[1].allSatisfy(\.isNumber) {
        return [parts.joined(separator: ".")]
      }
      return parts.filter { !$0.isEmpty }.map(String.init)
    }
  }
}
