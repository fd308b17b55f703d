import Foundation
import RustleAudio
import Testing

/// One case of a file in Tests/Vectors, whose format `generate.py` there describes.
struct VectorCase: CustomTestStringConvertible {
  let name: String
  private var fields: [String: [Substring]] = [:]

  var testDescription: String { name }

  private init(name: String) { self.name = name }

  func texts(_ key: String) throws -> [String] {
    try #require(fields[key], "case \(name) has no \(key)").map(String.init)
  }

  func text(_ key: String) throws -> String { try #require(try texts(key).first) }

  func numbers(_ key: String) throws -> [Double] {
    try texts(key).map { try #require(Double($0), "case \(name), \(key): \($0) is no number") }
  }

  func integers(_ key: String) throws -> [Int] {
    try texts(key).map { try #require(Int($0), "case \(name), \(key): \($0) is no whole number") }
  }

  func window() throws -> WindowFunction { try #require(WindowFunction(name: try text("window"))) }

  func symmetry() throws -> WindowFunction.Symmetry {
    try text("symmetry") == "symmetric" ? .symmetric : .periodic
  }

  /// The signal that the case is about.
  func signal() throws -> [Float] {
    let seedAndLength = try integers("noise")
    return noise(seed: UInt32(seedAndLength[0]), count: seedAndLength[1])
  }

  /// Every case of `Tests/Vectors/{file}`.
  static func all(in file: String) throws -> [VectorCase] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: tests.appendingPathComponent("Vectors/\(file)"), encoding: .utf8)
    var cases: [VectorCase] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      if words[0] == "case" {
        cases.append(VectorCase(name: String(words[1])))
      } else {
        cases[cases.count - 1].fields[String(words[0])] = Array(words.dropFirst())
      }
    }
    try #require(!cases.isEmpty, "\(file) has no cases")
    return cases
  }
}

/// White noise of multiples of 2^-23, uniform in -1 ..< 1; the formula is that of generate.py.
func noise(seed: UInt32, count: Int) -> [Float] {
  var state = seed
  return (0..<count).map { _ in
    state = state &* 1_664_525 &+ 1_013_904_223
    return (Float(state >> 8) - 8_388_608) / 8_388_608
  }
}

/// A sine of `frequency` Hz, computed in double precision.
func sine(
  _ frequency: Double, sampleRate: Double, count: Int, amplitude: Double = 1, phase: Double = 0
) -> [Float] {
  (0..<count).map { index in
    let turns = (frequency / sampleRate * Double(index)).truncatingRemainder(dividingBy: 1)
    return Float(amplitude * sin(2 * .pi * turns + phase))
  }
}

/// The Euclidean norm of the difference, over that of `expected`; 0 when both are silent.
func relativeL2(_ actual: [Float], _ expected: [Double]) -> Double {
  guard actual.count == expected.count else { return .infinity }
  let difference = zip(actual, expected).reduce(0) { $0 + (Double($1.0) - $1.1) * (Double($1.0) - $1.1) }
  let norm = expected.reduce(0) { $0 + $1 * $1 }
  return difference == 0 ? 0 : (difference / norm).squareRoot()
}
