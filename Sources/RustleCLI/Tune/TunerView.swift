import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct TunerViewOptions: Equatable, Sendable {
  var tuning = Tuning.standard
  var instrument = Instrument.chromatic
  /// The largest deviation that is in tune, in cents.
  var tolerance = TuningReading.defaultTolerance
  /// The cents at either end of the needle's scale.
  var span = 50.0
  /// Digits of the cents after the point, 0 to 3.
  var digits = 1
}

/// The layout of the tuner on a terminal. A pure function of its arguments.
struct TunerView {
  let options: TunerViewOptions
  let profile: TerminalProfile

  private var glyphs: Glyphs { profile.glyphs }

  /// The lines with their widths in columns: the same number for every state, at most one less than the terminal's rows.
  /// The least important lines are left out first. `footer` has the parts of the last lines, about keys or the source.
  func lines(_ update: TunerUpdate?, footer: [String] = []) -> [ScreenLine] {
    let (reading, isHeld) = (update?.needle?.reading, update?.needle?.isHeld ?? false)
    let note = [note(reading, isHeld)]
    let needle = [scale(), needle(reading, isHeld)]
    let words = [words(reading, isHeld)]
    let numbers = numbers(reading)
    let quality = [quality(update?.frame)]
    let strings = options.instrument.isChromatic ? [] : [strings(reading)]
    let head = [profile.line(heading, .dim)]
    let foot = profile.wrapped(footer, .dim)
    let gap: [ScreenLine] = [("", 0)]
    let room = profile.rows - 1
    let pictures: [[ScreenLine]] = [
      head + gap + note + gap + needle + words + gap + strings + numbers + quality + gap + foot,
      head + note + needle + words + strings + numbers + quality + foot,
      head + note + needle + words + strings + numbers + foot,
      note + needle + words + strings + foot,
      note + needle + words,
    ]
    return pictures.first { $0.count <= room } ?? Array((note + needle + words + foot).prefix(room))
  }

  /// The reference pitch, the temperament and other settings that are not the default.
  var heading: String { "\(TunerConfiguration(tuning: options.tuning, instrument: options.instrument))" }

  /// The note and the cents, after the tone with the word held.
  private func note(_ reading: TuningReading?, _ isHeld: Bool) -> ScreenLine {
    guard let reading else { return profile.line("\(glyphs.unknown)  no tone", .dim) }
    let cents = Numbers.signed(reading.cents, digits: options.digits, glyphs)
    return profile.line("\(reading.noteText)  \(cents) cents" + (isHeld ? "  held" : ""), .bold)
  }

  /// Columns of the scale: odd, so that it has a middle.
  private var width: Int {
    let room = min(profile.columns, 81)
    return room % 2 == 1 ? room : room - 1
  }

  private func scale() -> ScreenLine { profile.line(glyphs.scale(Numbers.plain(options.span), columns: width), .dim) }

  private func needle(_ reading: TuningReading?, _ isHeld: Bool) -> ScreenLine {
    let parts = glyphs.needle(at: reading.map { $0.cents / options.span }, columns: width)
    return profile.line([(parts.before, .dim), (parts.needle, reading.map { ink($0, isHeld) }), (parts.after, .dim)])
  }

  private func ink(_ reading: TuningReading, _ isHeld: Bool) -> Ink {
    isHeld ? .dim : reading.direction(tolerance: options.tolerance).ink
  }

  /// What the colour says, as a word on the side where the needle is.
  private func words(_ reading: TuningReading?, _ isHeld: Bool) -> ScreenLine {
    guard let reading else { return ("", 0) }
    let direction = reading.direction(tolerance: options.tolerance)
    let (text, indent) =
      switch direction {
      case .flat: ("\(direction.word), tune up", 0)
      case .inTune: (direction.word, (width - direction.word.count) / 2)
      case .sharp: ("\(direction.word), tune down", width - direction.word.count - 11)
      }
    return profile.line(String(repeating: " ", count: max(0, indent)) + text, ink(reading, isHeld))
  }

  /// The same number of lines for every reading: two on a narrow terminal.
  private func numbers(_ reading: TuningReading?) -> [ScreenLine] {
    let parts = reading.map { reading in
      [
        "\(Numbers.hertz(reading.frequency)) Hz, target \(Numbers.hertz(reading.target)) Hz",
        "\(Numbers.signed(reading.beat, digits: 2, glyphs)) beats per second",
      ]
    }
    return (profile.columns < 60 ? parts ?? ["", ""] : [parts?.joined(separator: ", ") ?? ""]).map { profile.line($0) }
  }

  private func quality(_ frame: PitchFrame?) -> ScreenLine {
    let percent = TuneTables.percent(frame?.confidence ?? 0)
    return profile.line("confidence \(percent) %, level \(Numbers.level(frame?.level, glyphs)) dBFS", .dim)
  }

  /// The strings' notes, the chosen one between brackets.
  private func strings(_ reading: TuningReading?) -> ScreenLine {
    let names = options.instrument.strings.enumerated().map { index, string in
      let note = string.note.transposed(by: options.tuning.transposition)
      let name = note.text(spelling: options.tuning.spelling)
      return index == reading?.stringIndex ? "[\(name)]" : " \(name) "
    }
    return profile.line(names.joined(separator: " "))
  }
}

/// The live view of the tuner: receives updates and keys, and draws changes.
actor LiveTuner: LiveView {
  var screen: LiveScreen
  private let tuner: Tuner
  private let start: TunerConfiguration
  private let subject: SoundSubject
  private var options: TunerViewOptions

  private var update: TunerUpdate?
  private var isPaused = false
  /// The update shown while the view is paused; the tuner goes on.
  private var frozen: TunerUpdate?
  private var isLearning = false
  private var message: String?

  static let help = [
    "q quit", "arrows A4", "i instrument", "t temperament", "l learn", "s stretch", "r restore", "? hide this",
  ]

  init(
    tuner: Tuner, start: TunerConfiguration, subject: SoundSubject, options: TunerViewOptions, screen: LiveScreen
  ) {
    (self.tuner, self.start, self.subject, self.options, self.screen) = (tuner, start, subject, options, screen)
  }

  func show(_ update: TunerUpdate) {
    self.update = update
    if isLearning && !update.isLearning && update.tuning != options.tuning {
      message = String(format: "learned A4 = %.2f Hz", update.tuning.reference)
    }
    isLearning = update.isLearning
    options.tuning = update.tuning
    screen.needsDrawing = screen.needsDrawing || !isPaused
  }

  func notice(_ text: String) {
    message = text
    screen.needsDrawing = true
  }

  /// Replaces the view by the notes and restores the terminal.
  func finish(_ result: TuneResult) throws {
    defer { screen.end() }
    try screen.draw { TuneTables(format: .text, profile: $0, subject: subject, options: options).lines(result) }
  }

  func press(_ key: Key) async -> Bool {
    if key == .quit { return true }
    do {
      message = try await handle(key)
    } catch {
      // The key failed; the tuner goes on.
      message = error.message
    }
    let configuration = await tuner.configuration
    // The reading may be of a string of the previous instrument.
    if configuration.instrument != options.instrument { update = nil }
    (options.tuning, options.instrument) = (configuration.tuning, configuration.instrument)
    isLearning = await tuner.isLearning
    screen.needsDrawing = true
    return false
  }

  /// Applies a key; returns a message.
  private func handle(_ key: Key) async throws(AudioError) -> String? {
    switch key {
    case .pause: (isPaused, frozen) = (!isPaused, update)
    case .help: screen.showsHelp.toggle()
    case .up, .letter("+"): try await moveReference(by: 1)
    case .down, .letter("-"): try await moveReference(by: -1)
    case .right: try await moveReference(by: 0.1)
    case .left: try await moveReference(by: -0.1)
    case .letter("i"):
      let presets = [.chromatic] + Instrument.Preset.allCases.map { Instrument($0) }
      let instrument = await tuner.configuration.instrument
      try await tuner.set(instrument: Self.following(instrument, in: presets, start.instrument))
    case .letter("t"):
      let presets = Temperament.Preset.allCases.map { Temperament($0) }
      try await tuner.update { [start] tuning in
        let next = Self.following(tuning.temperament, in: presets, start.tuning.temperament)
        tuning = tuning.with(temperament: next)
      }
    case .letter("s"):
      guard await tuner.configuration.tuning.stretch == nil else {
        try await tuner.update { $0 = $0.with(stretch: nil) }
        return nil
      }
      return try await tuner.stretchAsMeasured() == nil ? "no stretch: play some notes first" : "stretched as measured"
    case .letter("l"):
      if await tuner.isLearning { await tuner.stopLearning() } else { try await tuner.learnReference() }
    case .restart:
      await tuner.stopLearning()
      await tuner.set(tuning: start.tuning)
      try await tuner.set(instrument: start.instrument)
    case .quit, .letter, .pageUp, .pageDown, .home, .end: return message
    }
    return nil
  }

  private func moveReference(by hertz: Double) async throws(AudioError) {
    try await tuner.update { $0 = $0.movingReference(by: hertz) }
  }

  /// The value after another, in a circle of the presets and, if it is none of them, the initial one.
  private static func following<Value: Equatable>(_ value: Value, in presets: [Value], _ initial: Value) -> Value {
    let values = presets.contains(initial) ? presets : [initial] + presets
    return values[values.firstIndex(of: value).map { ($0 + 1) % values.count } ?? 0]
  }

  func draw() throws {
    var parts = [
      isPaused ? "paused" : nil, isLearning ? "learning A4: play a note" : nil,
      update?.isPolyphonic == true ? PolyphonyMeter.notice : nil,
      update.flatMap { $0.droppedFrames > 0 ? "DROPPED \($0.droppedFrames) frames" : nil }, message,
    ].compactMap(\.self)
    if screen.hasKeys { parts += ["q quit", "? help"] }
    let footer = screen.showsHelp ? Self.help : parts
    try screen.draw { TunerView(options: options, profile: $0).lines(isPaused ? frozen : update, footer: footer) }
  }
}
