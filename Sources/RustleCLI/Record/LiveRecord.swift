import RustleAudio
import RustleAudioFiles
import RustlePlot

/// The live view of a recording: receives progress and keys, and draws changes.
actor LiveRecord: LiveView {
  var screen: LiveScreen
  private let recorder: Recorder
  private var picture: RecordView
  private var progress: RecorderProgress?

  init(recorder: Recorder, path: String, screen: LiveScreen) {
    (self.recorder, self.screen) = (recorder, screen)
    picture = RecordView(path: path, hasKeys: screen.hasKeys)
  }

  func end() {
    (picture.showsHelp, picture.hasKeys) = (false, false)
    try? draw()
    screen.end()
  }

  func apply(_ progress: RecorderProgress) {
    self.progress = progress
    let held = picture.held
    picture.held = progress.levels.enumerated().map { max($1.peak, $0 < held.count ? held[$0] : -.infinity) }
    screen.needsDrawing = true
  }

  func press(_ key: Key) async throws -> Bool {
    screen.needsDrawing = true
    if key == .help { picture.showsHelp.toggle() }
    if key == .pause {
      switch await recorder.state {
      case .recording: try await recorder.pause()
      case .paused: try await recorder.resume()
      case .idle, .starting: break
      }
    }
    return key == .quit
  }

  func draw() throws { try screen.draw { picture.lines(progress, $0) } }
}

/// The layout of a recording: a line with its state, and a bar for each channel.
struct RecordView: Sendable {
  let path: String
  var hasKeys: Bool
  var showsHelp = false
  /// The highest peak of each channel so far, in dBFS.
  var held: [Double] = []

  /// The level at the left end of a bar, in dBFS.
  private static let softest = -60.0

  func lines(_ progress: RecorderProgress?, _ profile: TerminalProfile) -> [ScreenLine] {
    let isPaused = progress?.isPaused ?? false
    let state = progress == nil ? "waiting" : isPaused ? "PAUSED" : "REC"
    let time = RecordCommand.time(progress?.duration ?? .zero)
    var lines = [profile.line("\(state)  \(time)  \(path)", isPaused ? .yellow : .bold)]
    for (channel, level) in (progress?.levels ?? []).enumerated() {
      let held = channel < held.count ? held[channel] : level.peak
      let ink: Ink = held >= 0 ? .red : held > -6 ? .yellow : .green
      lines.append(profile.line(bar(level, channel: channel, held: held, profile), ink))
    }
    if let progress {
      let troubles = RecordCommand.troubles(progress.droppedFrames, progress.overruns, progress.clippedSamples)
      if !troubles.isEmpty { lines.append(profile.line(String(troubles.dropFirst(2)), .red)) }
    }
    guard hasKeys || showsHelp else { return lines }
    let help = "space pauses and resumes, q stops and closes the file, ? hides this"
    return lines + [profile.line(showsHelp ? help : "space pause  q stop  ? help", .dim)]
  }

  /// The bar of a channel, `1  ▇▇▇▇▇▇▇      |   -12.3 dBFS  max -6.0`, with a mark at the highest peak so far.
  private func bar(_ level: SignalLevel, channel: Int, held: Double, _ profile: TerminalProfile) -> String {
    let lead = "\(channel + 1)".rightPadded(to: 3)
    let levels = [level.peak, held].map(RecordCommand.decibels)
    let tail = " \(levels[0]) dBFS  max \(levels[1])\(held >= 0 ? " OVER" : "")"
    let width = max(4, profile.columns - lead.count - tail.count)
    func place(_ level: Double) -> Int {
      level.isFinite ? min(width, max(0, Int(Double(width) * (1 - level / Self.softest)))) : 0
    }
    let glyphs = profile.glyphs
    var cells = (0..<width).map { cell -> Character in
      cell < place(level.power) ? glyphs.bars[7] : cell < place(level.peak) ? glyphs.shades[1] : " "
    }
    if place(held) > 0 { cells[place(held) - 1] = glyphs.vertical }
    return lead + String(cells) + tail
  }
}
