import RustlePlot

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
    write("\r\(ProgressText.line(Double(min(done, total)) / Double(total), seconds: now()))\u{1B}[K")
  }

  mutating func end() {
    if isDrawn { write("\r\u{1B}[K") }
    isDrawn = false
  }
}
