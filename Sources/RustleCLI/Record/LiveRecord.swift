import Foundation
import RustleAudio
import RustleAudioFiles

/// The live view of a recording: takes progress and keys in, and draws itself when something changed.
actor LiveRecord {
  /// What a key asks the recording for.
  enum Wish: Sendable {
    case stop
    case pauseOrResume
  }

  private let path: String
  private var hasKeys: Bool
  private let session: TerminalSession
  private let makeProfile: @Sendable () -> TerminalProfile
  private let write: @Sendable (String) throws -> Void
  private var progress: RecorderProgress?
  private var held: [Double] = []
  private var showsHelp = false
  private var frame = LiveFrame()
  private var needsDrawing = true

  init(
    path: String, hasKeys: Bool, session: TerminalSession, makeProfile: @escaping @Sendable () -> TerminalProfile,
    write: @escaping @Sendable (String) throws -> Void
  ) {
    self.path = path
    self.hasKeys = hasKeys
    self.session = session
    self.makeProfile = makeProfile
    self.write = write
  }

  func begin() throws {
    try session.begin()
    try draw()
  }

  /// Draws the last picture, which offers no keys any more, and gives the terminal back.
  func end() {
    (showsHelp, hasKeys) = (false, false)
    try? draw()
    session.end()
  }

  func apply(_ progress: RecorderProgress) {
    self.progress = progress
    for (channel, level) in progress.levels.enumerated() {
      if channel == held.count { held.append(level.peak) }
      held[channel] = max(held[channel], level.peak)
    }
    needsDrawing = true
  }

  func press(_ key: Key) -> Wish? {
    needsDrawing = true
    switch key {
    case .quit: return .stop
    case .pause: return .pauseOrResume
    default:
      if key == .help { showsHelp.toggle() }
      return nil
    }
  }

  /// Stops with the process and comes back with it.
  func suspend() throws {
    try session.suspend()
    frame.forget()
    needsDrawing = true
  }

  func resized() { needsDrawing = true }

  func drawIfNeeded() throws {
    if needsDrawing { try draw() }
  }

  private func draw() throws {
    let profile = makeProfile()
    let status = RecordView.Status(path: path, hasKeys: hasKeys, showsHelp: showsHelp, held: held)
    try write(frame.draw(RecordView(profile: profile).lines(progress, status), columns: profile.columns))
    needsDrawing = false
  }
}
