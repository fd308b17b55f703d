import Foundation

/// Writes values as the labels of axes and peaks. A negative number has a real minus sign (U+2212).
public enum UnitLabel {
  /// A frequency for an axis that is labelled in hertz: `20`, `62.5`, `1k`, `1.5k`, `20k`, `1M`.
  public static func hertz(_ value: Double) -> String {
    switch abs(value) {
    case 1_000_000...: number(value / 1_000_000) + "M"
    case 1_000...: number(value / 1_000) + "k"
    default: number(value)
    }
  }

  /// A frequency in at most four characters, in hertz up to 20 kHz: `512`, `1k`, `3.1k`, `16k`.
  public static func shortHertz(_ value: Double) -> String {
    value < 1_000 ? String(format: "%.3g", value) : String(format: value < 9_950 ? "%.2gk" : "%.0fk", value / 1_000)
  }

  /// A frequency with its unit, in five significant digits: `440.00 Hz`, `1.0000 kHz`.
  public static func frequency(_ value: Double) -> String {
    let (scaled, unit) = abs(value) < 999.995 ? (value, "Hz") : (value / 1_000, "kHz")
    let digits = abs(scaled) < 9.99995 ? 4 : abs(scaled) < 99.9995 ? 3 : 2
    return "\(fixed(scaled, digits)) \(unit)"
  }

  /// A plain number with at most six significant digits and no trailing zeros: `0`, `−60`, `0.25`.
  public static func number(_ value: Double) -> String {
    let text = String(format: "%.6g", value == 0 ? 0 : value)
    return text.replacingOccurrences(of: "-", with: "\u{2212}")
  }

  /// A level with its unit and one decimal: `−6.0 dB`.
  public static func decibels(_ value: Double) -> String { "\(fixed(value, 1)) dB" }

  /// A duration in at most seven characters, with an ASCII minus sign: `-12 ms`, `3.4 s`, `12 min`, `3 h`, `10 d`.
  public static func age(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    switch abs(seconds) {
    case ..<0.999_5: return "\(Int((seconds * 1e3).rounded())) ms"
    case ..<99.95: return String(format: "%.1f s", seconds)
    case ..<5_970: return "\(Int((seconds / 60).rounded())) min"
    case ..<356_400: return "\(Int((seconds / 3_600).rounded())) h"
    default: return "\(Int((seconds / 86_400).rounded())) d"
    }
  }

  /// An amount in at most seven characters: `0.125`, `1234`, `56.7k`, `8.9M`, `1.2e-05`.
  ///
  /// - Parameter amount: 0 or more.
  public static func amount(_ amount: Double) -> String {
    let size = abs(amount)
    if size == 0 { return "0" }
    if size >= 1e-4, size < 9_999.5 {
      return String(format: size < 1 ? "%.4g" : size < 1_000 ? "%.5g" : "%.0f", amount)
    }
    for (end, unit) in [(1e6, "k"), (1e9, "M"), (1e12, "G"), (1e15, "T")] where size > 1 && size < end * 0.999_5 {
      return String(format: "%.3g", amount / (end / 1e3)) + unit
    }
    return String(format: "%.1e", amount)
  }

  /// A time as on a clock, to the second: `1:30`, or `0:01:30` with hours. Parts of a second are written behind it: `0:00.5`.
  ///
  /// - Parameters:
  ///   - seconds: finite; beyond a million hours it is a plain number.
  ///   - hasHours: whether the hours are written.
  public static func clock(_ seconds: Double, hasHours: Bool) -> String {
    guard abs(seconds) < 3.6e9 else { return number(seconds) }
    let milliseconds = Int((abs(seconds) * 1_000).rounded())
    let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    let head = hasHours ? String(format: "%d:%02d", whole / 3_600, whole / 60 % 60) : String(whole / 60)
    var tail = String(format: ":%02d", whole % 60)
    if rest > 0 {
      var digits = String(format: ".%03d", rest)
      while digits.hasSuffix("0") { digits.removeLast() }
      tail += digits
    }
    return (seconds < 0 && milliseconds > 0 ? "\u{2212}" : "") + head + tail
  }

  private static func fixed(_ value: Double, _ digits: Int) -> String {
    let text = String(format: "%.\(digits)f", value)
    // A value that rounds to zero from below has no sign.
    let isNegative = text.hasPrefix("-") && text.contains { ("1"..."9").contains($0) }
    return (isNegative ? "\u{2212}" : "") + (text.hasPrefix("-") ? String(text.dropFirst()) : text)
  }
}
