internal import Foundation

/// How often a test does again what goes wrong by chance only.
package enum Repetitions {
  /// The share that is done, above 0 and up to 1: `RUSTLE_REPETITIONS`, or all. A sanitizer makes each many times as slow and
  /// finds in few what the others find in many.
  private static let share: Double = {
    let text = ProcessInfo.processInfo.environment["RUSTLE_REPETITIONS"] ?? "1"
    guard let share = Double(text), share > 0, share <= 1 else {
      preconditionFailure("RUSTLE_REPETITIONS: expected a number above 0 and up to 1, got \(text)")
    }
    return share
  }()

  /// How many of `count` to do, at least one.
  package static func of(_ count: Int) -> Int { max(1, Int(share * Double(count))) }
}
