internal import Foundation

/// The options of ``computeFFT(_:options:)``.
public struct FFTOptions: Sendable, Hashable {
  /// The range of sizes, which are powers of two.
  public static let sizeRange = 256...8_192

  /// The number of samples N that are transformed, a power of two from 256 to 8,192; nil for the signal's own length.
  public var fftSize: Int?
  /// The window function.
  public var window: WindowFunction
  /// The signal's sample rate in Hz, finite and above 0.
  public var sampleRate: Double

  /// Creates options, which are checked when they are used.
  public init(fftSize: Int? = nil, window: WindowFunction = .hann, sampleRate: Double = 44_100) {
    self.fftSize = fftSize
    self.window = window
    self.sampleRate = sampleRate
  }

  /// Creates options from a dictionary.
  ///
  /// - Parameter dictionary: any of `fftSize` (a whole number of any type), `windowType` (one of ``WindowFunction/names``) and
  ///   `sampleRate` (a number of any type).
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for a value of another type, an unknown window function, and any
  ///   other key: a misspelt option is not ignored.
  public init(_ dictionary: [String: Any]) throws(FFTError) {
    self.init()
    // In a fixed order, so that of two errors the same one is always reported.
    for (key, value) in dictionary.sorted(by: { $0.key < $1.key }) {
      switch key {
      case "fftSize":
        guard let size = wholeNumber(value) else {
          throw .type(of: key, expected: "a whole number", value)
        }
        fftSize = size
      case "windowType":
        guard let name = value as? String else { throw .type(of: key, expected: "a text", value) }
        guard let window = WindowFunction(name: name) else {
          throw .validation(
            key, expected: "one of \(WindowFunction.names.joined(separator: ", "))", got: "\"\(name)\"",
            advice: "Choose one of these windows.")
        }
        self.window = window
      case "sampleRate":
        guard let rate = number(value) else { throw .type(of: key, expected: "a number", value) }
        sampleRate = rate
      default:
        throw .validation(
          "options", expected: "fftSize, windowType or sampleRate", got: "\"\(key)\"",
          advice: "Correct the option's name, or leave it out.")
      }
    }
  }

  /// The number of samples to transform.
  ///
  /// - Parameter count: the signal's number of samples.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` when these options do not fit such a signal.
  func size(forCount count: Int) throws(FFTError) -> Int {
    guard count > 0 else {
      throw .validation("buffer", expected: "at least 1 sample", got: "0", advice: "Hand in a signal.")
    }
    let size = fftSize ?? count
    guard Self.sizeRange.contains(size), size.isPowerOfTwo else {
      let origin = fftSize == nil ? " (the length of the buffer, since fftSize is not given)" : ""
      throw .validation(
        "fftSize", expected: "a power of two from \(Self.sizeRange.lowerBound) to \(Self.sizeRange.upperBound)",
        got: "\(size)\(origin)",
        advice: "Pass such an fftSize; a shorter buffer is padded with zeros, a longer one cropped.")
    }
    guard sampleRate.isFinite, sampleRate > 0 else {
      throw .validation(
        "sampleRate", expected: "a finite number of Hz above 0", got: "\(sampleRate)",
        advice: "Pass the rate that the signal was recorded at.")
    }
    return size
  }
}

/// The value as a whole number, whatever type of number it is; nil for anything else.
private func wholeNumber(_ value: Any) -> Int? {
  switch value {
  case let value as any BinaryInteger: Int(exactly: value)
  default: number(value).flatMap(Int.init(exactly:))
  }
}

/// The value as a number, whatever type of number it is; nil for anything else.
private func number(_ value: Any) -> Double? {
  switch value {
  case let value as any BinaryInteger: Double(value)
  case let value as any BinaryFloatingPoint: Double(value)
  // On Apple platforms a truth value is also an NSNumber.
  case is Bool: nil
  // What JSONSerialization makes of a number.
  case let value as NSNumber: value.doubleValue
  default: nil
  }
}

extension FFTError {
  fileprivate static func type(of option: String, expected: String, _ value: Any) -> Self {
    // Cut: the value may be a whole signal.
    let text = String(describing: value).prefix(60)
    return validation(
      option, expected: expected, got: "\(text) of type \(Swift.type(of: value))", advice: "Hand in \(expected).")
  }
}
