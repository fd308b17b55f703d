import Foundation

/// How the ticker writes its numbers. The same in every locale.
enum TickerNumbers {
  /// A price with thousands separators, and decimals by its size: five to eight significant digits.
  static func price(_ price: Double) -> String {
    let decimals = price >= 100 ? 2 : price >= 1 ? 4 : price >= 0.01 ? 6 : 8
    let plain = String(format: "%.\(decimals)f", price)
    let parts = plain.split(separator: ".")
    var grouped = ""
    for (index, digit) in parts[0].enumerated() {
      if index > 0 && (parts[0].count - index).isMultiple(of: 3) { grouped.append(",") }
      grouped.append(digit)
    }
    return "\(grouped).\(parts[1])"
  }

  /// A change with its sign in per cent: `+0.12 %`. What rounds to nothing has no sign.
  static func change(_ fraction: Double, glyphs: Glyphs) -> String {
    let digits = String(format: "%.2f", abs(fraction) * 100)
    switch direction(fraction) {
    case .up: return "+\(digits) %"
    case .down: return "\(glyphs.minus)\(digits) %"
    case .unchanged: return "0.00 %"
    }
  }

  enum Direction {
    case up, down, unchanged
  }

  /// The direction of a change, as far as two decimals of a per cent show it.
  static func direction(_ fraction: Double) -> Direction {
    abs(fraction) < 0.000_05 ? .unchanged : fraction > 0 ? .up : .down
  }
}
