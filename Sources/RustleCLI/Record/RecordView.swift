import RustleAudio
import RustleAudioFiles

/// The picture of a recording: a line with its state, and a bar for each channel.
struct RecordView: Sendable {
  let profile: TerminalProfile

  /// The level at the left end of a bar, in dBFS.
  private static let softest = -60.0

  /// What stands beside the progress.
  struct Status: Sendable {
    let path: String
    let hasKeys: Bool
    let showsHelp: Bool
    /// The highest peak of each channel so far, in dBFS.
    let held: [Double]
  }

  /// The lines, each with the columns that it takes.
  func lines(_ progress: RecorderProgress?, _ status: Status) -> [(text: String, columns: Int)] {
    let paint = Painter(isEnabled: profile.usesColor)
    var lines: [(text: String, columns: Int)] = []
    func add(_ text: String, _ ink: Painter.Ink? = nil) {
      let isWider = DisplayWidth.columns(of: text) > profile.columns
      let ellipsis = Glyphs(for: profile).ellipsis
      let cut = isWider ? DisplayWidth.fit(text, to: profile.columns, ellipsis: ellipsis) : text
      lines.append((paint(cut, ink), DisplayWidth.columns(of: cut)))
    }
    let isPaused = progress?.isPaused ?? false
    let state = progress == nil ? "waiting" : isPaused ? "PAUSED" : "REC"
    let time = RecordLines.time(progress.map { $0.duration / .seconds(1) } ?? 0)
    add("\(state)  \(time)  \(status.path)", isPaused ? .yellow : .bold)
    for (channel, level) in (progress?.levels ?? []).enumerated() {
      let held = channel < status.held.count ? status.held[channel] : level.peak
      add(bar(level, channel: channel, held: held), held >= 0 ? .red : held > -6 ? .yellow : .green)
    }
    if let progress {
      let troubles = RecordLines.troubles(progress.lostFrames, progress.overruns, progress.clippedSamples)
      if !troubles.isEmpty { add(String(troubles.dropFirst(2)), .red) }
    }
    if status.showsHelp {
      add("space pauses and goes on, q stops and closes the file, ? hides this", .dim)
    } else if status.hasKeys {
      add("space pause  q stop  ? help", .dim)
    }
    return lines
  }

  /// `1  ▇▇▇▇▇▇▇      |   -12.3 dBFS  max -6.0`, the mark at the highest peak so far.
  private func bar(_ level: SignalLevel, channel: Int, held: Double) -> String {
    let glyphs = Glyphs(for: profile)
    let lead = "\(channel + 1)".padding(to: 3)
    let over = held >= 0 ? " OVER" : ""
    let tail = " \(RecordLines.decibels(level.peak)) dBFS  max \(RecordLines.decibels(held))\(over)"
    let width = max(4, profile.columns - lead.count - tail.count)
    func place(_ level: Double) -> Int {
      level.isFinite ? min(width, max(0, Int(Double(width) * (1 - level / Self.softest)))) : 0
    }
    var cells = [Character](repeating: " ", count: width)
    for index in 0..<place(level.power) { cells[index] = glyphs.bars[7] }
    for index in place(level.power)..<max(place(level.power), place(level.peak)) { cells[index] = glyphs.shades[1] }
    if place(held) > 0 { cells[place(held) - 1] = glyphs.vertical }
    return lead + String(cells) + tail
  }
}

extension String {
  /// The text with blanks behind it, as wide as asked for.
  fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
