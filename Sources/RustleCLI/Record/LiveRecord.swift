import Foundation
import RustleAudio
import RustleAudioFiles

/// The live view of a recording: takes progress and keys in, and draws itself when something changed.
actor LiveRecord: LiveView {
  /// What a key asks the recording for.
  enum Wish: Sendable {
    case stop
    case pauseOrResume
  }

  var screen: LiveScreen
  private let path: String
  private var hasKeys: Bool
  private var progress: RecorderProgress?
  private var held: [Double] = []
  private var showsHelp = false

  init(path: String, screen: LiveScreen) {
    self.path = path
    self.screen = screen
    hasKeys = screen.hasKeys
  }

  func end() {
    (showsHelp, hasKeys) = (false, false)
    try? draw()
    screen.end()
  }

  func apply(_ progress: RecorderProgress) {
    self.progress = progress
    for (channel, level) in progress.levels.enumerated() {
      if channel == held.count { held.append(level.peak) }
      held[channel] = max(held[channel], level.peak)
    }
    screen.needsDrawing = true
  }

  func press(_ key: Key) -> Wish? {
    screen.needsDrawing = true
    switch key {
    case .quit: return .stop
    case .pause: return .pauseOrResume
    default:
      if key == .help { showsHelp.toggle() }
      return nil
    }
  }

  func draw() throws {
    let status = RecordView.Status(path: path, hasKeys: hasKeys, showsHelp: showsHelp, held: held)
    try screen.draw { RecordView(profile: $0).lines(progress, status) }
  }
}
