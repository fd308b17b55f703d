import RustleAudio
import RustlePlot

/// What goes on beside the output of a measurement: the progress of a long file, and the picture.
actor MeterFollower {
  private let subject: SoundSubject
  private let png: String?
  private let note: @Sendable (String) -> Void
  private var progress: ProgressLine
  private var history = MeterHistory()
  private var classes = [Int](repeating: 0, count: NoiseClass.allCases.count)
  private var isOver = false

  /// - Parameters:
  ///   - png: where the picture goes; nil: there is none.
  ///   - frames: the frames to be read; nil: not known.
  ///   - showsProgress: whether somebody looks at standard error who is not shown the levels.
  ///   - note: writes to standard error.
  init(
    subject: SoundSubject, png: String?, frames: Int?, showsProgress: Bool, note: @escaping @Sendable (String) -> Void
  ) {
    self.subject = subject
    self.png = png
    self.note = note
    progress = ProgressLine(total: frames, isEnabled: showsProgress, write: note)
  }

  func add(_ state: MeterState, framesRead: Int) {
    guard !isOver else { return }
    classes[state.noiseClass.rawValue] += 1
    if png != nil { history.add(state) }
    progress.update(framesRead)
  }

  func restart() {
    classes = classes.map { _ in 0 }
  }

  /// The share of the readings in each class; empty when there was none.
  var shares: [Double] {
    let count = classes.reduce(0, +)
    return count == 0 ? [] : classes.map { Double($0) / Double(count) }
  }

  /// Draws the picture.
  func finish(_ state: MeterState) throws {
    guard !isOver else { return }
    isOver = true
    progress.end()
    guard let png else { return }
    try history.write(state, subject, to: png)
  }

  /// Wipes the progress after a failure.
  func abandon() {
    isOver = true
    progress.end()
  }
}
