internal import Foundation

/// The progress of a long job as a line on standard error, redrawn in place and cleared at the end.
///
/// Nothing is drawn unless standard error is a terminal, nor for a job of less than a second.
package struct ProgressLine {
  private let total: Int?
  private let isEnabled: Bool
  private let now: () -> Double
  private let write: (String) -> Void
  private var nextDrawing = 1.0
  private var isDrawn = false

  /// - Parameter now: seconds since the job began; nil for those of the clock from now on.
  package init(
    total: Int?, isEnabled: Bool, now: (() -> Double)? = nil, write: @escaping (String) -> Void
  ) {
    let start = ContinuousClock.now
    self.now = now ?? { (ContinuousClock.now - start) / .seconds(1) }
    (self.total, self.isEnabled, self.write) = (total, isEnabled, write)
  }

  package mutating func update(_ done: Int) {
    guard isEnabled, let total, total > 0, now() >= nextDrawing else { return }
    nextDrawing = now() + 0.1
    isDrawn = true
    write("\r\(Self.line(Double(min(done, total)) / Double(total), seconds: now()))\u{1B}[K")
  }

  package mutating func end() {
    if isDrawn { write("\r\u{1B}[K") }
    isDrawn = false
  }

  /// A line in ASCII with the estimated time left: `[#####---------------]  25 %  0:03 left`.
  ///
  /// - Parameters:
  ///   - share: the part that is done, 0 to 1.
  ///   - seconds: the time since the job began.
  private static func line(_ share: Double, seconds: Double) -> String {
    let full = Int((share * 20).rounded(.down))
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: 20 - full)
    let head = "[\(bar)] " + String(format: "%3d", Int(share * 100)) + " %"
    guard share > 0 else { return head }
    let left = (seconds * (1 / share - 1)).rounded(.up)
    return head + "  \(UnitLabel.clock(left, hasHours: left >= 3_600)) left"
  }
}
