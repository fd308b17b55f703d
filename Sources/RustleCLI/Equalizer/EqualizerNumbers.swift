import Foundation

/// How the equalizer's numbers are shown to people.
enum EqualizerNumbers {
  /// The shortest text of a number, without a needless fraction.
  static func plain(_ value: Double) -> String { String(format: "%.12g", value) }

  /// A distance in decibels, with one or two decimals.
  static func decibels(_ value: Double) -> String { String(format: abs(value) < 1 ? "%.2f" : "%.1f", value) }

  /// A gain with its sign, or `0.0`.
  static func gain(_ value: Double, glyphs: Glyphs) -> String {
    let text = String(format: "%.1f", abs(value))
    if text == "0.0" { return text }
    return (value < 0 ? String(glyphs.minus) : "+") + text
  }

  /// A level relative to full scale; silence has none.
  static func level(_ value: Double, glyphs: Glyphs) -> String {
    value.isFinite ? (value < 0 ? String(glyphs.minus) : "") + String(format: "%.2f", abs(value)) : "silence"
  }

  /// The level of an amplitude, full scale being 1; minus infinity for silence.
  static func decibels(ofAmplitude amplitude: Float) -> Double { 20 * log10(Double(amplitude)) }

  /// A length of time.
  static func seconds(_ value: Double) -> String { String(format: value < 10 ? "%.3f" : "%.1f", value) }

  /// A frequency for the head of a slider: `512`, `1k`, `16k`.
  static func frequency(_ value: Double) -> String {
    value < 1_000 ? String(format: "%.3g", value) : String(format: value < 9_950 ? "%.2gk" : "%.0fk", value / 1_000)
  }
}
