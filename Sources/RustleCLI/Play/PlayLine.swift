import Foundation
import RustleAudio
import Synchronization

/// The line on standard error that says how far a playback is; any task may change it.
final class PlayLine: Sendable {
  private struct State {
    var last: PlaybackProgress?
    var isPaused = false
    /// Whether the queue runs dry because of a pause, which lasts until there is sound in it again.
    var isDryByPause = false
    /// The silence of pauses, and that before the first sound, in frames.
    var pausedFrames: Int64 = 0
    var drawn = ""
  }

  private let subject: String
  private let firstFrame: Int
  private let totalFrames: Int?
  private let rate: Double
  private let hasKeys: Bool
  private let isEnabled: Bool
  private let columns: @Sendable () -> Int
  private let write: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - firstFrame: the frame of the sound that is played first.
  ///   - totalFrames: the frames that are played; nil when that is not known.
  ///   - rate: frames a second.
  ///   - isEnabled: whether somebody is looking.
  ///   - columns: asks the terminal for its width.
  init(
    subject: String, firstFrame: Int = 0, totalFrames: Int?, rate: Double, hasKeys: Bool, isEnabled: Bool,
    columns: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) -> Void
  ) {
    self.subject = subject
    self.firstFrame = firstFrame
    self.totalFrames = totalFrames
    self.rate = rate
    self.hasKeys = hasKeys
    self.isEnabled = isEnabled
    self.columns = columns
    self.write = write
  }

  /// The newest progress.
  var last: PlaybackProgress? { state.withLock { $0.last } }

  /// What the lines of a program say of it.
  var record: PlayLines.State {
    let starved = starvedSeconds
    return state.withLock {
      PlayLines.State(
        played: $0.last?.played ?? 0, underruns: $0.last?.underruns ?? 0, starvedSeconds: starved,
        isPaused: $0.isPaused)
    }
  }

  /// The silence that the device was given because no sound came in time, in seconds; that of pauses, and that before the
  /// first one, is not among it.
  var starvedSeconds: Double {
    state.withLock { Double(($0.last?.starved ?? 0) - $0.pausedFrames) / rate }
  }

  func show(_ progress: PlaybackProgress) {
    state.withLock {
      let hasBegun = ($0.last?.played ?? 0) > 0
      if !hasBegun || $0.isPaused || $0.isDryByPause {
        $0.pausedFrames += progress.starved - ($0.last?.starved ?? 0)
        $0.isDryByPause = $0.isPaused || ($0.isDryByPause && progress.queued == 0)
      }
      $0.last = progress
      draw(&$0)
    }
  }

  func setPaused(_ isPaused: Bool) {
    state.withLock {
      $0.isPaused = isPaused
      $0.isDryByPause = $0.isDryByPause || isPaused
      draw(&$0)
    }
  }

  /// Leaves the line where it is: the next one is drawn below.
  func forget() {
    state.withLock {
      if isEnabled && !$0.drawn.isEmpty { write("\r\n") }
      $0.drawn = ""
    }
  }

  /// Wipes the line.
  func end() {
    state.withLock {
      if isEnabled && !$0.drawn.isEmpty { write("\r\u{1B}[K") }
      $0.drawn = ""
    }
  }

  /// Draws when the text is another one than on the screen.
  private func draw(_ state: inout State) {
    guard isEnabled, let progress = state.last else { return }
    let text = text(progress, isPaused: state.isPaused, columns: columns())
    guard text != state.drawn else { return }
    state.drawn = text
    write("\r\(text)\u{1B}[K")
  }

  /// For example `0:01.5 of 0:12.0  take1.wav  q quit  space pause`, cut to one column less than the terminal has.
  func text(_ progress: PlaybackProgress, isPaused: Bool, columns: Int) -> String {
    text(
      played: Double(progress.played) / rate, underruns: progress.underruns, isPaused: isPaused, columns: columns)
  }

  func text(played seconds: Double, underruns: Int, isPaused: Bool, columns: Int) -> String {
    let first = Double(firstFrame) / rate
    let total = totalFrames.map { " of \(Numbers.time(first + Double($0) / rate))" } ?? ""
    var text = Numbers.time(first + seconds) + total
    if isPaused { text += "  paused" }
    if underruns > 0 { text += "  \(underruns) underruns" }
    text += "  " + (subject.split(separator: "/").last.map(String.init) ?? subject)
    if hasKeys { text += isPaused ? "  q quit  space go on" : "  q quit  space pause" }
    return DisplayWidth.fit(text, to: min(columns - 1, DisplayWidth.columns(of: text)), ellipsis: "~")
  }

  /// What is said of holes in the sound.
  static func holes(underruns: Int, starvedSeconds: Double) -> String {
    var parts: [String] = []
    if underruns > 0 {
      parts.append(underruns == 1 ? "1 underrun of the device" : "\(underruns) underruns of the device")
    }
    if starvedSeconds > 0 {
      parts.append(String(format: "%.2f s of silence because no sound came in time", starvedSeconds))
    }
    return "the playback had holes: " + parts.joined(separator: ", ")
  }
}
