import Foundation
import RustleAudio

/// The live view of a playback: a line on standard error, which is cleared at the end, and keys.
actor PlayView: LiveView {
  var screen: LiveScreen
  private let output: AudioOutput
  private let line: PlayLine
  /// Returns the newest progress; nil for no line.
  private let progress: @Sendable () -> PlaybackProgress?
  private var drawn = ""

  init(
    output: AudioOutput, line: PlayLine, screen: LiveScreen, progress: @escaping @Sendable () -> PlaybackProgress?
  ) {
    (self.output, self.line, self.screen, self.progress) = (output, line, screen, progress)
  }

  func press(_ key: Key) -> Bool {
    if key == .pause { output.isPaused.toggle() }
    return key == .quit
  }

  func drawIfNeeded() throws { try draw() }

  func draw() throws {
    guard let progress = progress() else { return }
    let text = line.text(played: progress.played, underruns: progress.underruns, isPaused: output.isPaused)
    guard screen.needsDrawing || text != drawn else { return }
    drawn = text
    try screen.draw { [$0.line(text)] }
  }

  func end() {
    if !drawn.isEmpty { try? screen.draw { _ in [] } }
    screen.end()
  }
}

/// The line of a playback, and the report of its interruptions.
struct PlayLine {
  /// The sound's name without its folders.
  let title: String
  /// The first frame to play, and the number of frames to play; nil if unknown.
  var firstFrame = 0
  let totalFrames: Int?
  let sampleRate: Double
  let hasKeys: Bool

  /// The line, `0:01.5 of 0:12.0  take1.wav  q quit  space pause`.
  func text(played: Int64, underruns: Int, isPaused: Bool) -> String {
    func time(_ frames: Int) -> String { Numbers.time(Double(firstFrame + frames) / sampleRate) }
    let parts = [
      time(Int(played)) + (totalFrames.map { " of \(time($0))" } ?? ""),
      isPaused ? "paused" : nil,
      underruns > 0 ? "\(underruns) underruns" : nil,
      title,
      hasKeys ? "q quit" : nil,
      hasKeys ? isPaused ? "space go on" : "space pause" : nil,
    ]
    return parts.compactMap(\.self).joined(separator: "  ")
  }

  /// The report of interruptions of the sound; nil without any.
  static func interruption(_ end: PlaybackProgress, sampleRate: Double) -> String? {
    let silence = Double(end.insertedSilence) / sampleRate
    let parts = [
      end.underruns > 0 ? "\(end.underruns) underrun\(end.underruns == 1 ? "" : "s") of the device" : nil,
      silence > 0 ? String(format: "%.2f s of inserted silence", silence) : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? nil : "the playback was interrupted: " + parts.joined(separator: ", ")
  }
}
