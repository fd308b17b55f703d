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
actor LiveMeter: MeterSink {
  private let session: TerminalSession
  private let write: @Sendable (String) throws -> Void
  private let makeProfile: @Sendable () -> TerminalProfile
  private let subject: MeterSubject
  private let hasKeys: Bool

  private var state: MeterState
  /// What is shown while the view is paused; the measurement itself goes on.
  private var frozen: MeterState?
  private var hasSound = false
  private var showsHelp = false
  private var frame = LiveFrame()
  private var needsDrawing = true
  private var isOver = false

  /// - Parameters:
  ///   - state: what is shown before the first sound.
  ///   - makeProfile: asks the terminal what it can show, for every picture anew, since its size changes.
  init(
    subject: MeterSubject, state: MeterState, hasKeys: Bool, session: TerminalSession,
    makeProfile: @escaping @Sendable () -> TerminalProfile, write: @escaping @Sendable (String) throws -> Void
  ) {
    self.subject = subject
    self.state = state
    self.hasKeys = hasKeys
    self.session = session
    self.makeProfile = makeProfile
    self.write = write
  }

  func begin() throws {
    try session.begin()
    try draw()
  }

  func show(_ state: MeterState) throws {
    self.state = state
    hasSound = true
    needsDrawing = needsDrawing || frozen == nil
  }

  /// Puts the report in the view's place and gives the terminal back.
  func finish(_ state: MeterState) throws {
    guard !isOver else { return }
    isOver = true
    defer { session.end() }
    let profile = makeProfile()
    let report = MeterReport(subject: subject, profile: profile)
    try write(frame.draw(hasSound ? report.lines(state) : [], columns: profile.columns))
  }

  /// Gives the terminal back after a failure; the last picture stays.
  func abandon() {
    guard !isOver else { return }
    isOver = true
    session.end()
  }

  /// - Returns: whether the key ends the view.
  func press(_ key: Key) -> Bool {
    switch key {
    case .quit: return true
    case .pause: frozen = frozen == nil ? state : nil
    case .help: showsHelp.toggle()
    case .restart: frozen = nil
    case .up, .down, .left, .right, .letter: return false
    }
    needsDrawing = true
    return false
  }

  /// Stops with the process and comes back with it.
  func suspend() throws {
    try session.suspend()
    // The shell has written below the picture meanwhile.
    frame.forget()
    needsDrawing = true
  }

  func resized() { needsDrawing = true }

  /// Draws when something changed since the last picture.
  func drawIfNeeded() throws { if needsDrawing && !isOver { try draw() } }

  private func draw() throws {
    let profile = makeProfile()
    let status = MeterView.Status(
      isPaused: frozen != nil, hasKeys: hasKeys, showsHelp: showsHelp, hasSound: hasSound)
    let lines = MeterView(subject: subject, profile: profile).lines(frozen ?? state, status)
    try write(frame.draw(lines, columns: profile.columns))
    needsDrawing = false
  }
}
