import Foundation
import RustleAudio
import RustlePlot
import Synchronization

/// The state of a playback, and its line on standard error; any task may change it.
final class PlayLine: Sendable {
  /// The state of a playback.
  struct State: Sendable {
    /// The newest progress; nil before the device's first report.
    var last: PlaybackProgress?
    var isPaused = false
    /// Whether the end was played.
    var isComplete = false
    /// Whether a pause has emptied the queue, until it holds sound again.
    fileprivate var isDryByPause = false
    /// The silence of pauses and before the first sound, in frames.
    fileprivate var pausedFrames: Int64 = 0
    fileprivate var drawn = ""

    var played: Int64 { last?.played ?? 0 }
    var underruns: Int { last?.underruns ?? 0 }
    /// The silence inserted because no sound arrived in time, in frames, without that of pauses and before the first sound.
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
  ///   - firstFrame: the first frame to play.
  ///   - totalFrames: the number of frames to play; nil if unknown.
  ///   - rate: frames per second.
  ///   - isEnabled: whether the line is drawn.
  ///   - columns: returns the terminal's width.
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

  /// Changes the state, and draws the line if its text changed.
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

  /// Clears the line, or leaves it and draws the next one below.
  func end(isLeft: Bool = false) {
    shared.withLock {
      if isEnabled && !$0.drawn.isEmpty { write(isLeft ? "\r\n" : "\r\u{1B}[K") }
      $0.drawn = ""
    }
  }

  /// The line, `0:01.5 of 0:12.0  take1.wav  q quit  space pause`, cut to one column less than the terminal has.
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

  /// The report of interruptions of the sound; nil without any.
  var holes: String? {
    let state = state
    return Self.holes(underruns: state.underruns, seconds: Double(state.insertedSilence) / rate)
  }

  static func holes(underruns: Int, seconds: Double) -> String? {
    var parts: [String] = []
    if underruns > 0 {
      parts.append(underruns == 1 ? "1 underrun of the device" : "\(underruns) underruns of the device")
    }
    if seconds > 0 { parts.append(String(format: "%.2f s of inserted silence", seconds)) }
    return parts.isEmpty ? nil : "the playback was interrupted: " + parts.joined(separator: ", ")
  }
}
