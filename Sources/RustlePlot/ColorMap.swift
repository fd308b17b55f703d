import Foundation

/// Colours for values from 0 to 1, whose lightness rises as evenly to the eye as the values do.
///
/// The ramp runs in the colour space Oklab (B. Ottosson, "A perceptual color space for image processing", 2020): lightness
/// grows in equal steps from nearly black to nearly white, while the hue turns from blue over magenta and orange to yellow.
/// It is readable in grey, and with colour vision deficiency.
public struct ColorMap: Sendable, Hashable {
  /// The colours from the lowest value to the highest, `0xRRGGBB`.
  public let table: [UInt32]

  /// The map as described, of 256 colours.
  public static let dusk = ColorMap(table: (0..<256).map { ramp(Double($0) / 255) })

  private init(table: [UInt32]) { self.table = table }

  /// The colour of a value, `0xRRGGBB`: the lowest one's below 0 and for what is no number, the highest one's above 1.
  public func color(of value: Double) -> UInt32 {
    let last = Double(table.count - 1)
    let position = value * last
    // NaN fails both comparisons.
    return position > 0 ? table[Int(min(position, last).rounded())] : table[0]
  }

  /// The nearest colour among those that terminals of 256 colours have from 16 to 231: six steps each of red, green and blue.
  public func terminalColor(of value: Double) -> Int {
    let color = color(of: value)
    let steps = [16, 8, 0].map { shift in Int((Double(color >> UInt32(shift) & 0xFF) / 51).rounded()) }
    return 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
  }

  private static func ramp(_ value: Double) -> UInt32 {
    let lightness = 0.13 + 0.84 * value
    let hue = (275 + 190 * value) * .pi / 180
    // Most colourful in the middle; towards the ends there are few colours so dark or so light.
    var chroma = 0.04 + 0.19 * sin(.pi * min(1, 0.12 + 0.88 * value))
    while true {
      let rgb = linear(lightness: lightness, a: chroma * cos(hue), b: chroma * sin(hue))
      if chroma <= 0 || rgb.allSatisfy({ (-1e-4...1.0001).contains($0) }) { return packed(rgb) }
      // Not a colour of a screen: the same lightness and hue, less of it.
      chroma -= 0.002
    }
  }

  /// Linear red, green and blue of an Oklab colour, by the matrices of the cited page.
  private static func linear(lightness: Double, a: Double, b: Double) -> [Double] {
    let l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3)
    let m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3)
    let s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3)
    return [
      4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
      -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
      -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    ]
  }

  /// Eight bits a channel with sRGB's transfer function (IEC 61966-2-1).
  private static func packed(_ linear: [Double]) -> UInt32 {
    linear.reduce(0) { packed, value in
      let value = min(max(value, 0), 1)
      let encoded = value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055
      return packed << 8 | UInt32((255 * encoded).rounded())
    }
  }
}
