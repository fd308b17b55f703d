import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

/// A consumer of a measurement's states. After `finish` nothing more is written.
protocol MeterSink: Actor {
  func show(_ state: MeterState) throws
  func finish(_ state: MeterState) throws
}

/// One measurement, from its start to its end, with the progress of a long file and the picture.
actor MeterRun {
  private let input: SoundInput
  private let meter: SoundLevelMeter
  private let interval: Duration
  private let subject: SoundSubject
  private let png: String?
  private var progress: ProgressLine
  private var history = MeterHistory()
  private var classes = [Int](repeating: 0, count: LevelZone.allCases.count)
  private var isOver = false

  /// - Parameters:
  ///   - interval: the sound between two readings.
  ///   - png: the path of the picture; nil for none.
  ///   - progress: the progress line on standard error, where no levels are shown.
  init(
    _ input: SoundInput, with meter: SoundLevelMeter, every interval: Duration, of subject: SoundSubject, png: String?,
    progress: sending ProgressLine
  ) {
    self.input = input
    self.meter = meter
    self.interval = interval
    self.subject = subject
    self.png = png
    self.progress = progress
  }

  /// The meter's present state.
  nonisolated func state() async throws -> MeterState {
    try await MeterState(meter.reading, of: meter, tally: input.tally)
  }

  /// Measures until the end of the sound or of the run.
  ///
  /// - Parameters:
  ///   - sink: receives each reading, and the last state.
  ///   - view: the sink, if it is a view.
  nonisolated func measure(to sink: some MeterSink, view: LiveMeter? = nil) async throws -> RunEnding {
    do {
      return try await input.run(
        view: view,
        measure: { [self] in
          for try await reading in try await meter.readings(of: input, every: interval) {
            let state = try await MeterState(reading, of: meter, tally: input.tally)
            await add(state)
            try await sink.show(state)
          }
        },
        finish: { [self] ending in
          let state = try await summary()
          // The picture first: a closed pipe must not prevent it.
          try await finish(state)
          if ending != .readerGone { try await sink.finish(state) }
        })
    } catch {
      await endProgress()
      throw error
    }
  }

  private func add(_ state: MeterState) {
    guard !isOver else { return }
    classes[state.levelZone.rawValue] += 1
    if png != nil { history.add(state) }
    progress.update(input.tally.frames)
  }

  /// Begins a new measurement.
  func restart() async throws {
    try await meter.restart()
    classes = classes.map { _ in 0 }
  }

  /// The meter's present state, with the share of the readings in each level zone.
  private func summary() async throws -> MeterState {
    var state = try await state()
    let count = classes.reduce(0, +)
    if count > 0 { state.shares = classes.map { Double($0) / Double(count) } }
    return state
  }

  /// Draws the picture, once.
  private func finish(_ state: MeterState) throws {
    guard !isOver else { return }
    endProgress()
    if let png { try history.write(state, subject, to: png) }
  }

  private func endProgress() {
    isOver = true
    progress.end()
  }
}

/// Writes a measurement as lines.
actor MeterLineWriter: MeterSink {
  private let lines: MeterLines
  /// Whether readings are written, and not only the summary.
  private let showsReadings: Bool
  private let output: LineWriter
  /// The table of readings; nil before the header.
  private var table: Table<MeterState>?
  private var isOver = false

  init(lines: MeterLines, showsReadings: Bool, output: LineWriter) {
    self.lines = lines
    self.showsReadings = showsReadings
    self.output = output
  }

  func show(_ state: MeterState) throws {
    if showsReadings, !isOver { try output.write(header(state) + (table?.line(state) ?? "")) }
  }

  func finish(_ state: MeterState) throws {
    guard !isOver else { return }
    isOver = true
    if lines.format.isForPeople && !showsReadings { return try output.write(lines.report(state)) }
    try output.write(header(state) + lines.summary(state))
  }

  /// The header, once.
  private func header(_ state: MeterState) -> String {
    guard table == nil else { return "" }
    let table = lines.readings(like: state)
    self.table = table
    return table.header
  }
}

/// The live view of a measurement: receives states and keys, and draws changes.
actor LiveMeter: MeterSink, LiveView {
  var screen: LiveScreen
  private let subject: SoundSubject
  private let run: MeterRun

  private var state: MeterState
  /// The state shown while the view is paused; the measurement goes on.
  private var frozen: MeterState?
  private var hasSound = false
  private var showsHelp = false
  private var isOver = false

  /// - Parameter state: the state shown before the first sound.
  init(_ run: MeterRun, of subject: SoundSubject, state: MeterState, screen: LiveScreen) {
    self.run = run
    self.subject = subject
    self.state = state
    self.screen = screen
  }

  func show(_ state: MeterState) {
    self.state = state
    hasSound = true
    screen.needsDrawing = screen.needsDrawing || frozen == nil
  }

  /// Replaces the view by the report and restores the terminal.
  func finish(_ state: MeterState) throws {
    guard !isOver else { return }
    defer { end() }
    try screen.draw { hasSound ? MeterView(subject: subject, profile: $0).report(state) : [] }
  }

  /// Restores the terminal after a failure; the last picture stays.
  func end() {
    guard !isOver else { return }
    isOver = true
    screen.end()
  }

  func press(_ key: Key) async throws -> Bool {
    switch key {
    case .quit: return true
    case .pause: frozen = frozen == nil ? state : nil
    case .help: showsHelp.toggle()
    case .restart:
      frozen = nil
      try await run.restart()
    case .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .letter: return false
    }
    screen.needsDrawing = true
    return false
  }

  func drawIfNeeded() throws { if screen.needsDrawing && !isOver { try draw() } }

  func draw() throws {
    let status = MeterView.Status(
      isPaused: frozen != nil, hasKeys: screen.hasKeys, showsHelp: showsHelp, hasSound: hasSound)
    try screen.draw { MeterView(subject: subject, profile: $0).lines(frozen ?? state, status) }
  }
}
