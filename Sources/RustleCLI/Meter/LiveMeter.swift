import Foundation
import RustleAudio

/// Where the states of a measurement go. After `finish` nothing more is written.
protocol MeterSink: Actor {
  func show(_ state: MeterState) throws
  func finish(_ state: MeterState) throws
}

/// Writes lines.
actor MeterLineWriter: MeterSink {
  private let lines: MeterLines
  /// Whether the readings are written, and not the summary alone.
  private let showsReadings: Bool
  private let output: LineWriter
  private var hasHeader = false
  private var isOver = false

  init(lines: MeterLines, showsReadings: Bool, output: LineWriter) {
    self.lines = lines
    self.showsReadings = showsReadings
    self.output = output
  }

  func show(_ state: MeterState) throws {
    guard showsReadings, !isOver else { return }
    let header = hasHeader ? "" : lines.header(state)
    hasHeader = true
    try output.write(header + lines.line(state))
  }

  func finish(_ state: MeterState) throws {
    guard !isOver else { return }
    isOver = true
    let isText = lines.format == .text || lines.format == .auto
    if isText && !showsReadings {
      return try output.write(MeterReport(subject: lines.subject, profile: lines.profile).text(state))
    }
    try output.write((hasHeader ? "" : lines.header(state)) + lines.summary(state))
  }
}

/// The live view: takes states and keys in, and draws itself when something changed.
actor LiveMeter: MeterSink, LiveView {
  var screen: LiveScreen
  private let subject: SoundSubject

  private var state: MeterState
  /// What is shown while the view is paused; the measurement itself goes on.
  private var frozen: MeterState?
  private var hasSound = false
  private var showsHelp = false
  private var isOver = false

  /// - Parameter state: what is shown before the first sound.
  init(subject: SoundSubject, state: MeterState, screen: LiveScreen) {
    self.subject = subject
    self.state = state
    self.screen = screen
  }

  func show(_ state: MeterState) throws {
    self.state = state
    hasSound = true
    screen.needsDrawing = screen.needsDrawing || frozen == nil
  }

  /// Puts the report in the view's place and gives the terminal back.
  func finish(_ state: MeterState) throws {
    guard !isOver else { return }
    isOver = true
    defer { screen.end() }
    try screen.draw { hasSound ? MeterReport(subject: subject, profile: $0).lines(state) : [] }
  }

  /// Gives the terminal back after a failure; the last picture stays.
  func end() {
    guard !isOver else { return }
    isOver = true
    screen.end()
  }

  /// - Returns: whether the key ends the view.
  func press(_ key: Key) -> Bool {
    switch key {
    case .quit: return true
    case .pause: frozen = frozen == nil ? state : nil
    case .help: showsHelp.toggle()
    case .restart: frozen = nil
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
