import Foundation
import RustleFiles
import RustleMarket

/// Numbers of many lines: the texts of C's formats, at a fraction of the time that `String(format:)` takes.
extension ByteText {
  /// Appends what `%.6f` makes of a number.
  mutating func append(sixDecimals number: Double) {
    if let units = Self.units(of: number, fraction: 6), let decimal = ExactDecimal(units: units, scale: 6) {
      append(decimal)
    } else {
      append(String(format: "%.6f", number))
    }
  }

  /// Appends what `%.10g` makes of a number.
  mutating func append(tenDigits number: Double) {
    var (fraction, end) = (9, 10.0)
    while number >= end, fraction > 0 {
      fraction -= 1
      end *= 10
    }
    // Rounding may add a digit, and with it an exponent.
    guard number >= 1, var units = Self.units(of: number, fraction: fraction), units <= 9_999_999_999 else {
      return append(number == 0 && number.sign == .plus ? "0" : String(format: "%.10g", number))
    }
    while fraction > 0, units.isMultiple(of: 10) {
      units /= 10
      fraction -= 1
    }
    if let decimal = ExactDecimal(units: units, scale: fraction) { append(decimal) }
  }

  /// A number times 10^`fraction`, which is exact as a `Double`, rounded as C rounds: the product before it is rounded itself, to
  /// the nearest integer, of two the even one. nil below 0, and for products whose halves a `Double` does not hold.
  private static func units(of number: Double, fraction: Int) -> Int64? {
    let scale = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9][fraction]
    let product = number * scale
    guard number.sign == .plus, product < 0x1p52 else { return nil }
    let nearest = product.rounded(.toNearestOrEven)
    let lost = (-product).addingProduct(number, scale)
    let isTieBroken = (product - nearest == 0.5 && lost > 0) || (product - nearest == -0.5 && lost < 0)
    return Int64(nearest) + (isTieBroken ? (lost > 0 ? 1 : -1) : 0)
  }
}
