import Foundation
import RustleFiles
import RustleMarket
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct DigitsTests {
  private static func text(_ append: (inout ByteText) -> Void) -> String {
    var text = ByteText()
    append(&text)
    return text.string
  }

  private static func isAsCWritesIt(_ number: Double) -> Bool {
    text { $0.append(sixDecimals: number) } == String(format: "%.6f", number)
      && text { $0.append(tenDigits: number) } == String(format: "%.10g", number)
  }

  /// Odd multiples of 2^-n whose last decimal is a 5 past the last digit, and their neighbours.
  @Test func tiesAreRoundedAsTheNumbersThatTheyAre() {
    for bits in 1...7 {
      for odd in stride(from: 1.0, to: 4_000, by: 2) {
        let tie = odd / Double(1 << bits)
        let numbers = [tie, tie.nextUp, tie.nextDown, tie * 1e-5, tie * 1e-6, 1e5 * tie]
        for number in numbers where !Self.isAsCWritesIt(number) { Issue.record("\(number)") }
      }
    }
  }

  @Test func numbersOfEverySizeAreWritten() {
    var state: UInt64 = 1
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let number = Double(state >> 11) * 0x1p-53 * pow(10, Double(state % 24) - 8)
      if !Self.isAsCWritesIt(number) { Issue.record("\(number)") }
    }
    let special = [
      0, -0.0, 1, -1.5, 1e300, Double.leastNonzeroMagnitude, 9_999_999_999.4, 9_999_999_999.6, 999.9999999996,
      0.9999999999999, .infinity,
    ]
    for number in special {
      #expect(Self.isAsCWritesIt(number), "\(number)")
    }
    #expect(Self.text { $0.append(sixDecimals: .nan) } == String(format: "%.6f", Double.nan))
  }
}
