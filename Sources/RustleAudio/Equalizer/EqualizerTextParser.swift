internal import Foundation

/// A parser of an equalizer's text, line by line.
struct EqualizerTextParser {
  /// The values read for one channel.
  private struct Side {
    var bands: [EqualizerBand] = []
    var preamp = 0.0
    var isSelected = true
  }

  private var left = Side()
  private var right = Side()
  private var isHeading = false
  private var hasCommand = false
  private var number = 0

  private static let commands = "Preamp, Channel or Filter"

  /// Reads one line.
  ///
  /// - Parameters:
  ///   - line: without its end.
  ///   - number: counted from 1.
  mutating func read(_ line: [Unicode.Scalar], number: Int) throws(AudioError) {
    self.number = number
    var start = EqualizerTextScanner(line[...])
    guard !start.isAtEnd() else { return }
    guard let colon = line.firstIndex(of: ":") else {
      if isHeading || beginsHeading(line) { return }
      throw refusal(
        "", expected: "\(Self.commands) and a colon", got: String(String.UnicodeScalarView(trimmed(line[...]))).excerpt)
    }
    var key = EqualizerTextScanner(line[..<colon])
    let command = key.word()
    var values = EqualizerTextScanner(line[(colon + 1)...])
    switch command {
    case "PREAMP" where key.isAtEnd(): try readPreamp(&values)
    case "CHANNEL" where key.isAtEnd(): try readChannel(&values)
    case "FILTER" where isNumberOrNothing(&key): try readFilter(&values)
    default:
      if isHeading, !Self.otherCommands.contains(command ?? "") { return }
      throw refusal("", expected: Self.commands, got: String(String.UnicodeScalarView(trimmed(line[..<colon]))).excerpt)
    }
    isHeading = false
  }

  /// The settings read.
  func settings() throws(AudioError) -> EqualizerSettings {
    guard hasCommand else {
      throw .validation(
        "text", expected: "a Preamp or a Filter line at least", got: "none",
        advice: "Pass a text that AutoEQ, EqualizerAPO or Room EQ Wizard wrote.")
    }
    guard left.preamp == right.preamp else {
      throw .validation(
        "Preamp", expected: "the same for both channels",
        got: "\(left.preamp.plain) dB on the left and \(right.preamp.plain) dB on the right",
        advice: "Put one Preamp line before the first Channel line.")
    }
    let settings = EqualizerSettings(left: left.bands, right: right.bands, preamp: left.preamp)
    try settings.check(sampleRate: nil)
    return settings
  }

  // The commands of EqualizerAPO that change the sound or the meaning of the following lines: no heading has them.
  private static let otherCommands: Set<String> = [
    "INCLUDE", "CONVOLUTION", "GRAPHICEQ", "COPY", "DELAY", "DEVICE", "STAGE", "IF", "ELSEIF", "ELSE", "ENDIF", "EVAL",
    "VSTPLUGIN", "LOUDNESSCORRECTION", "PREAMP", "CHANNEL", "FILTER",
  ]

  private mutating func beginsHeading(_ line: [Unicode.Scalar]) -> Bool {
    let text = String(String.UnicodeScalarView(line)).lowercased().trimmingCharacters(in: .whitespaces)
    isHeading = !hasCommand && text == "filter settings file"
    return isHeading
  }

  private func isNumberOrNothing(_ key: inout EqualizerTextScanner) -> Bool {
    if key.isAtEnd() { return true }
    return key.number()?.text.allSatisfy { ("0"..."9").contains($0) } == true && key.isAtEnd()
  }

  private mutating func readPreamp(_ values: inout EqualizerTextScanner) throws(AudioError) {
    let gain = try quantity("Preamp", unit: "dB", &values)
    try expectEnd(&values)
    hasCommand = true
    if left.isSelected { left.preamp += gain }
    if right.isSelected { right.preamp += gain }
    for side in [left, right] where !EqualizerSettings.preampRange.contains(side.preamp) {
      throw refusal("Preamp", expected: EqualizerSettings.preampRangeText, got: side.preamp.plain)
    }
  }

  private mutating func readChannel(_ values: inout EqualizerTextScanner) throws(AudioError) {
    var names: [String] = []
    while !values.isAtEnd() {
      guard let name = values.word() ?? values.number()?.text else { break }
      names.append(name)
    }
    (left.isSelected, right.isSelected) = (false, false)
    for name in names {
      switch name {
      case "L", "1": left.isSelected = true
      case "R", "2": right.isSelected = true
      case "ALL": (left.isSelected, right.isSelected) = (true, true)
      default: throw refusal("Channel", expected: "L, R or all", got: name.debugDescription)
      }
    }
    guard !names.isEmpty, values.isAtEnd() else {
      throw refusal("Channel", expected: "L, R or all", got: values.rest())
    }
  }

  private mutating func readFilter(_ values: inout EqualizerTextScanner) throws(AudioError) {
    switch values.word() {
    case "ON": break
    case "OFF":
      hasCommand = true
      return
    case let word: throw refusal("Filter", expected: "ON or OFF", got: word?.debugDescription ?? values.rest())
    }
    hasCommand = true
    guard let code = values.word() else { throw refusal("Filter", expected: "a kind", got: values.rest()) }
    if code == "NONE" { return }
    let filter = try EqualizerTextFilter(code: code, number: number, reading: &values)
    let band = try filter.band()
    if let fault = band.fault(sampleRate: nil) {
      throw refusal(EqualizerTextFilter.word(for: fault.field), expected: fault.expected, got: fault.got.plain)
    }
    if left.isSelected { left.bands.append(band) }
    if right.isSelected { right.bands.append(band) }
    for side in [left, right] where side.bands.count > EqualizerSettings.maximumBandCount {
      throw refusal(
        "Filter", expected: "at most \(EqualizerSettings.maximumBandCount) filters a channel",
        got: "\(side.bands.count)")
    }
  }

  private func quantity(
    _ name: String, unit: String, _ values: inout EqualizerTextScanner
  ) throws(AudioError) -> Double {
    try EqualizerTextFilter.quantity(name, unit: unit, number: number, reading: &values)
  }

  private func expectEnd(_ values: inout EqualizerTextScanner) throws(AudioError) {
    guard values.isAtEnd() else { throw refusal("", expected: "the end of the line", got: values.rest()) }
  }

  private func trimmed(_ line: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> { line.drop(while: \.isBlank) }

  private func refusal(_ name: String, expected: String, got: String) -> AudioError {
    .line(number, name, expected: expected, got: got)
  }
}

extension AudioError {
  /// The error of a line.
  static func line(_ number: Int, _ name: String, expected: String, got: String) -> Self {
    .validation(
      "line \(number)" + (name.isEmpty ? "" : ": \(name)"), expected: expected, got: got,
      advice: "Correct the line, or remove it; from AutoEQ use the file ParametricEQ.txt.")
  }
}
