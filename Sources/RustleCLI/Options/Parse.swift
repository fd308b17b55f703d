internal import ArgumentParser
import Foundation
import RustleAudio

/// Turns option texts into values, with errors that say what was expected and what came.
enum Parse {
  /// A number in a range, given in the unit that `what` names: `"seconds"`.
  static func number(
    _ what: String, in range: ClosedRange<Double>
  ) -> @Sendable (String) throws -> Double {
    { text in
      guard let value = Double(text), range.contains(value) else {
        let bounds = "\(short(range.lowerBound)) to \(short(range.upperBound))"
        throw ValidationError("expected \(what) from \(bounds), got '\(text)'")
      }
      return value
    }
  }

  /// A whole number in a range.
  static func integer(_ what: String, in range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
    { text in
      guard let value = Int(text), range.contains(value) else {
        throw ValidationError("expected \(what) from \(range.lowerBound) to \(range.upperBound), got '\(text)'")
      }
      return value
    }
  }

  /// The number of points of a frame.
  static let frameSize: @Sendable (String) throws -> Int = { text in
    guard let size = Int(text), (64...65_536).contains(size), size & (size - 1) == 0 else {
      throw ValidationError("expected a power of two from 64 to 65536, got '\(text)'")
    }
    return size
  }

  /// A note with its octave: `A4`.
  static let note: @Sendable (String) throws -> Note = { text in
    do {
      return try Note(parsing: text)
    } catch let error as AudioError {
      throw ValidationError(error.message)
    }
  }

  /// A note without an octave: `D`.
  static let noteName: @Sendable (String) throws -> NoteName = { text in
    do {
      return try NoteName(parsing: text)
    } catch let error as AudioError {
      throw ValidationError(error.message)
    }
  }

  /// A bound without a needless fraction.
  private static func short(_ value: Double) -> String { String(format: "%.12g", value) }
}
