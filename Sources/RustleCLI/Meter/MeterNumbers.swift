import Foundation
import RustleAudio

/// How the meter writes its numbers. The same in every locale.
enum MeterNumbers {
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
