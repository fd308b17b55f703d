internal import Foundation

/// The progress of a job in characters.
package enum ProgressText {
  /// A line in ASCII with the estimated time left: `[#####---------------]  25 %  0:03 left`.
  ///
  /// - Parameters:
  ///   - share: the part that is done, 0 to 1.
  ///   - seconds: the time since the job began.
  package static func line(_ share: Double, seconds: Double) -> String {
    let full = Int((share * 20).rounded(.down))
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: 20 - full)
    let head = "[\(bar)] " + String(format: "%3d", Int(share * 100)) + " %"
    guard share > 0 else { return head }
    let left = (seconds * (1 / share - 1)).rounded(.up)
    return head + "  \(UnitLabel.clock(left, hasHours: left >= 3_600)) left"
  }
}
