import Foundation
import RustleMarket
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct ReaderVectorTests {
  /// A line of `Tests/Vectors/readers.txt`.
  struct Vector: CustomTestStringConvertible {
    let kind, value, text: String

    var testDescription: String { "\(kind) \(text)" }
  }

  static let vectors: [Vector] = {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let text = try? String(contentsOf: tests.appendingPathComponent("Vectors/readers.txt"), encoding: .utf8)
    return (text ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: "  ", maxSplits: 3).map(String.init)
      return Vector(kind: fields[0], value: fields[2] == "=" ? fields[1] : fields[2], text: fields[3])
    }
  }()

  @Test func theFileIsRead() { #expect(Self.vectors.count > 50) }

  @Test(arguments: vectors) func textsHaveTheirValues(vector: Vector) throws {
    let value: String? =
      switch vector.kind {
      case "decimal": ExactDecimal(vector.text).map { "\($0.units)e\($0.scale)" }
      case "time": Timestamp(rfc3339: vector.text).map { "\($0.nanosecondsSince1970)" }
      case "interval": MarketInterval(vector.text).map { "\(Int64($0.duration / .nanoseconds(1)))" }
      default: try #require(nil as String?, "an unknown kind")
      }
    #expect(value ?? "-" == vector.value)
  }
}
