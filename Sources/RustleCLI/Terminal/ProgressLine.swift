import Foundation

/// The progress of a long job as a line on standard error, redrawn in place and cleared at the end.
///
/// Nothing is drawn unless standard error is a terminal, nor for a job of less than a second.
struct ProgressLine {
  private let total: Int?
  private let isEnabled: Bool
  private let now: () -> Double
  private let write: (String) -> Void
  private var nextDrawing = 1.0
  private var isDrawn = false

  /// - Parameter now: seconds since the job began; nil for those of the clock from now on.
  init(
    total: Int?, isEnabled: Bool, now: (() -> Double)? = nil,
    write: @escaping (String) -> Void = { try? LineWriter.standardError.write($0) }
  ) {
    let start = ContinuousClock.now
    self.now = now ?? { (ContinuousClock.now - start) / .seconds(1) }
    (self.total, self.isEnabled, self.write) = (total, isEnabled, write)
  }

  mutating func update(_ done: Int) {
    guard isEnabled, let total, total > 0, now() >= nextDrawing else { return }
    nextDrawing = now() + 0.1
    isDrawn = true
    write("\r\(text(min(done, total), of: total))\u{1B}[K")
  }

  private static let width = 20

  /// The line, `[#####---------------]  25 %  0:03 left`, in ASCII: standard error's character set is unknown.
  private func text(_ done: Int, of total: Int) -> String {
    let share = Double(done) / Double(total)
    let full = Int((share * Double(Self.width)).rounded(.down))
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: Self.width - full)
    let percent = String(Int(share * 100)).leftPadded(to: 3)
    guard done > 0 else { return "[\(bar)] \(percent) %" }
    let left = Int((now() * (1 / share - 1)).rounded(.up))
    let clock = left < 3_600 ? "" : "\(left / 3_600):"
    let minutes = left < 3_600 ? "\(left / 60)" : String(format: "%02d", left / 60 % 60)
    return "[\(bar)] \(percent) %  \(clock)\(minutes):\(String(format: "%02d", left % 60)) left"
  }

  mutating func end() {
    if isDrawn { write("\r\u{1B}[K") }
    isDrawn = false
  }
}
