import Foundation
import RustleAudio

/// How the meter writes its numbers. The same in every locale.
enum MeterNumbers {
  /// A level to a tenth of a decibel; silence and what is not known yet are a dash.
  static func level(_ level: Double?, _ glyphs: Glyphs) -> String {
    guard let level, level.isFinite else { return String(glyphs.unknown) }
    let text = String(format: "%.1f", level)
    // What rounds to nothing has no sign.
    return text == "-0.0" ? "0.0" : text.replacing("-", with: String(glyphs.minus))
  }

  /// A time as on a clock, to a tenth of a second: `0:01.5`, `1:02:03.0`.
  static func time(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded())
    let (minutes, rest) = (tenths / 600, Double(tenths % 600) / 10)
    let end = String(format: "%04.1f", rest)
    return minutes < 60 ? "\(minutes):\(end)" : "\(minutes / 60):" + String(format: "%02d:", minutes % 60) + end
  }

  /// The nominal frequency of a band (IEC 61260-1, annex E): 31.623 Hz is called 31.5, 1258.9 Hz is called 1.25k.
  static func band(_ center: Double) -> String {
    // The tenths of a decade by the names that the standard gives them.
    let names = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8]
    let step = Int((10 * log10(center)).rounded())
    let decade = (Double(step) / 10).rounded(.down)
    let nominal = names[step - Int(decade) * 10] * pow(10, decade)
    return nominal < 1_000 ? String(format: "%.4g", nominal) : String(format: "%.4gk", nominal / 1_000)
  }
}

/// How headings write a sample rate.
enum UnitLabelText {
  /// `44.1 kHz`.
  static func rate(_ hertz: Double) -> String { String(format: "%.6g kHz", hertz / 1_000) }
}

extension NoiseClass {
  /// The colour that goes with the name.
  var ink: Painter.Ink {
    switch self {
    case .silent: .blue
    case .quiet: .green
    case .average: .magenta
    case .noisy: .yellow
    case .loud: .red
    }
  }
}
