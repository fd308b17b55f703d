import Foundation
import RustleFiles
import RustleMarket
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct ExactDecimalTests {
  @Test func wholeNumbersAreLiterals() {
    let (level, least): (ExactDecimal, ExactDecimal) = (65_000, -999_999_999_999_999_999)
    #expect(level.description == "65000" && level.scale == 0 && level == ExactDecimal("65000.00"))
    #expect(least.description == "-999999999999999999")
  }

  @Test(arguments: [
    "0", "1", "-1", "65000.10", "0.50", "-0.001", "0.000000000000000001", "999999999999999999", "1.00", "12.500",
    "-99999999.9999999999",
  ])
  func textSurvivesARoundTrip(text: String) throws {
    let value = try #require(ExactDecimal(text))
    #expect(value.description == text)
    #expect(value.doubleValue == Double(text))
    let data = try JSONEncoder().encode([value])
    #expect(String(decoding: data, as: UTF8.self) == "[\"\(text)\"]")
    #expect(try JSONDecoder().decode([ExactDecimal].self, from: data) == [value])
  }

  @Test(arguments: [
    "", "-", ".", "-.", "1.2.3", "+1", "1e3", " 1", "1 ", "١", "1234567890123456789", "0.1234567890123456789",
  ])
  func whatIsNoNumberIsRefused(text: String) {
    #expect(ExactDecimal(text) == nil)
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(ExactDecimal.self, from: JSONEncoder().encode(text))
    }
  }

  @Test func orderEqualityAndHashGoByValue() throws {
    let texts = ["-2", "-1.5", "-1.4999", "0", "0.000000000000000001", "1", "1.01", "1.1", "999999999999999999"]
    let values = try texts.map { try #require(ExactDecimal($0)) }
    #expect(values.reversed().sorted() == values)
    let one = try #require(ExactDecimal("1.0"))
    let same = try #require(ExactDecimal("1.000"))
    #expect(one == same && one.hashValue == same.hashValue && !(one < same) && !(same < one))
    #expect(Set([one, same]).count == 1)
    #expect(ExactDecimal("-0.00") == .zero)
  }

  @Test func doublesAreCorrectlyRounded() throws {
    // More digits than a double has: the parser of the standard library is the reference.
    for text in ["0.1234567890123456", "123456789.123456789", "9007199254740993", "0.300000000000000044"] {
      #expect(try #require(ExactDecimal(text)).doubleValue == Double(text))
    }
  }

  @Test func unitsAndScaleAreChecked() {
    #expect(ExactDecimal(units: 6_500_010, scale: 2)?.description == "65000.10")
    #expect(ExactDecimal(units: 1_000_000_000_000_000_000, scale: 0) == nil)
    #expect(ExactDecimal(units: .min, scale: 0) == nil)
    #expect(ExactDecimal(units: 1, scale: 19) == nil)
    #expect(ExactDecimal(units: 1, scale: -1) == nil)
  }

  @Test(arguments: [
    ("64000.5", "63000", "1000.5"), ("0.1", "0.30", "-0.20"), ("1.00", "1", "0.00"), ("-1", "-1.5", "0.5"),
    ("1", "0.000000000000000001", "0.999999999999999999"),
  ])
  func differencesAreExact(first: String, second: String, difference: String) throws {
    let result = try #require(ExactDecimal(first)).subtracting(try #require(ExactDecimal(second)))
    #expect(result?.description == difference)
  }

  @Test func aDifferenceOfMoreThanEighteenDigitsIsNone() throws {
    let (most, one) = (try #require(ExactDecimal("999999999999999999")), try #require(ExactDecimal("-1")))
    #expect(most.subtracting(one) == nil && one.subtracting(most) == nil)
    #expect(try most.subtracting(#require(ExactDecimal("0.1"))) == nil)
  }

  @Test(arguments: [
    ("1234567.891", "1,234,567.891"), ("64031.20", "64,031.20"), ("999", "999"), ("-999", "-999"),
    ("-123456", "-123,456"), ("-1000.5", "-1,000.5"),
    ("0.00001230", "0.00001230"), ("-0.1", "-0.1"), ("999999999999999999", "999,999,999,999,999,999"),
  ])
  func thousandsAreGroupedAndEveryDigitStays(price: String, text: String) throws {
    #expect(try #require(ExactDecimal(price)).grouped() == text)
  }

  @Test func bytesOfIntegersAreTheirText() {
    var text = ByteText()
    for number in [0, 9, 10, -1, Int64.max, .min] {
      text.append(number)
      text.append(" ")
    }
    text.append(UInt64.max)
    #expect(text.string == "0 9 10 -1 9223372036854775807 -9223372036854775808 18446744073709551615")
  }
}
