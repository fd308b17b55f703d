import Foundation
import RustleAudio
import Synchronization

/// How a playback goes, and the line on standard error that says so; any task may change it.
final class PlayLine: Sendable {
  /// What is known of a playback.
  struct State: Sendable {
    /// The newest progress; nil when nothing was heard of the device.
    var last: PlaybackProgress?
    var isPaused = false
    /// Whether the end was heard.
    var isComplete = false
    /// Whether the queue runs dry because of a pause, which lasts until there is sound in it again.
    fileprivate var isDryByPause = false
    /// The silence of pauses, and that before the first sound, in frames.
    fileprivate var pausedFrames: Int64 = 0
    fileprivate var drawn = ""

    var played: Int64 { last?.played ?? 0 }
    var underruns: Int { last?.underruns ?? 0 }
    /// The silence that the device was given because no sound came in time, in frames; that of pauses, and that before the first
    /// one, is not among it.
    var insertedSilence: Int64 { (last?.insertedSilence ?? 0) - pausedFrames }

    fileprivate mutating func add(_ progress: PlaybackProgress) {
      if played == 0 || isPaused || isDryByPause {
        pausedFrames += progress.insertedSilence - (last?.insertedSilence ?? 0)
        isDryByPause = isPaused || (isDryByPause && progress.queued == 0)
      }
      last = progress
    }
  }

  private let subject: String
  private let firstFrame: Int
  private let totalFrames: Int?
  private let rate: Double
  private let hasKeys: Bool
  private let isEnabled: Bool
  private let columns: @Sendable () -> Int
  private let write: @Sendable (String) -> Void
  private let shared = Mutex(State())

  /// - Parameters:
  ///   - firstFrame: the frame of the sound that is played first.
  ///   - totalFrames: the frames that are played; nil when that is not known.
  ///   - rate: frames a second.
  ///   - isEnabled: whether somebody is looking.
  ///   - columns: asks the terminal for its width.
  init(
    subject: String, firstFrame: Int = 0, totalFrames: Int?, rate: Double, hasKeys: Bool, isEnabled: Bool,
    columns: @escaping @Sendable () -> Int = { max(20, StandardStream.size(of: StandardStream.error).columns) },
    write: @escaping @Sendable (String) -> Void = { try? LineWriter.standardError.write($0) }
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

  var state: State { shared.withLock { $0 } }

  func show(_ progress: PlaybackProgress) { change { $0.add(progress) } }

  func setPaused(_ isPaused: Bool) {
    change {
      $0.isPaused = isPaused
      $0.isDryByPause = $0.isDryByPause || isPaused
    }
  }

  /// Draws when the text is another one than on the screen.
  private func change(_ body: (inout State) -> Void) {
    shared.withLock { state in
      body(&state)
      guard isEnabled, let progress = state.last else { return }
      let text = text(
        played: Double(progress.played) / rate, underruns: progress.underruns, isPaused: state.isPaused,
        columns: columns())
      guard text != state.drawn else { return }
      state.drawn = text
      write("\r\(text)\u{1B}[K")
    }
  }

  /// Wipes the line, or leaves it where it is and draws the next one below.
  func end(isLeft: Bool = false) {
    shared.withLock {
      if isEnabled && !$0.drawn.isEmpty { write(isLeft ? "\r\n" : "\r\u{1B}[K") }
      $0.drawn = ""
    }
  }

  /// For example `0:01.5 of 0:12.0  take1.wav  q quit  space pause`, cut to one column less than the terminal has.
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

  /// What is said of holes in the sound; nil when there were none.
  var holes: String? {
    let state = state
    return Self.holes(underruns: state.underruns, seconds: Double(state.insertedSilence) / rate)
  }

  static func holes(underruns: Int, seconds: Double) -> String? {
    var parts: [String] = []
    if underruns > 0 {
      parts.append(underruns == 1 ? "1 underrun of the device" : "\(underruns) underruns of the device")
    }
    if seconds > 0 { parts.append(String(format: "%.2f s of silence because no sound came in time", seconds)) }
    return parts.isEmpty ? nil : "the playback had holes: " + parts.joined(separator: ", ")
  }
}
