import Foundation
import RustleAudio

/// How the tuner writes its numbers. The same in every locale.
enum TunerNumbers {
  /// Cents with a sign, but none at zero: `+12.3`, `-0.4`, `0.0`.
  static func cents(_ cents: Double, digits: Int, _ glyphs: Glyphs) -> String {
    signed(cents, digits: digits, glyphs)
  }

  /// A frequency in Hz with five to seven digits: `440.000`, `4186.01`.
  static func hertz(_ frequency: Double) -> String { String(format: frequency < 1_000 ? "%.3f" : "%.2f", frequency) }

  /// Beats a second with a sign: `+3.00`.
  static func beat(_ beat: Double, _ glyphs: Glyphs) -> String { signed(beat, digits: 2, glyphs) }

  private static func signed(_ value: Double, digits: Int, _ glyphs: Glyphs) -> String {
    let text = String(format: "%.\(min(max(digits, 0), 3))f", abs(value))
    let isZero = text.allSatisfy { $0 == "0" || $0 == "." }
    return (isZero ? "" : value < 0 ? String(glyphs.minus) : "+") + text
  }
}

extension TuningReading.Direction {
  /// In capitals beside the needle: what the colour says.
  var word: String {
    switch self {
    case .flat: "FLAT"
    case .inTune: "IN TUNE"
    case .sharp: "SHARP"
    }
  }

  /// What a player does about it.
  var advice: String {
    switch self {
    case .flat: "tune up"
    case .inTune: ""
    case .sharp: "tune down"
    }
  }

  /// The colour that goes with the word.
  var ink: Painter.Ink {
    switch self {
    case .flat: .cyan
    case .inTune: .green
    case .sharp: .yellow
    }
  }
}
