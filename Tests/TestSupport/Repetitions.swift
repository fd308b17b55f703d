internal import Foundation

/// The number of repetitions of a test whose fault occurs by chance.
package enum Repetitions {
  /// The share of repetitions, above 0 and up to 1: `RUSTLE_REPETITIONS`, or all. A sanitizer makes each many times slower and
  /// needs fewer.
  private static let share: Double = {
    let text = ProcessInfo.processInfo.environment["RUSTLE_REPETITIONS"] ?? "1"
    guard let share = Double(text), share > 0, share <= 1 else {
      preconditionFailure("RUSTLE_REPETITIONS: expected a number above 0 and up to 1, got \(text)")
    }
    return share
  }()

  /// Returns the number of `count` repetitions to do, at least one.
  package static func of(_ count: Int) -> Int { max(1, Int(share * Double(count))) }
}
