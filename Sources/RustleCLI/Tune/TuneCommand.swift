internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

struct TuneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tune",
    abstract: "Tune an instrument: show the note and its deviation in cents.",
    usage: """
      rustle tune [<input>] [--device <name>] [--instrument <name|file>]
              [--reference <hz>] [--temperament <name|file>] [--json]
      """,
    discussion: """
      A device is measured in real time, with a live needle on a terminal and a line for each interval elsewhere. A file is \
      read as fast as it can be. A list of the notes with the median of their cents follows.

      One note at a time is expected. The confidence is the share of similar frames of one note whose pitch is right; a chord \
      is taken for the note of which its notes are partials, and does not lower it, but is reported where it lasts three quarters of a second. With an instrument the target is the \
      nearest of its strings, at any distance, and the range of frequencies is from a fifth below the lowest string to two \
      octaves above the highest.

      EXAMPLES:
        rustle tune --device default --instrument guitar
        rustle tune take1.flac --reference 442
        rustle tune --demo --temperament werckmeisterIII --tonic D
        rustle tune --device default --learn
        rustle tune take1.flac --json | jq 'select(.kind == "note")'

      KEYS on a terminal:
        up, down     A4 by 1 Hz, also + and -    i      the next instrument
        left, right  A4 by 0.1 Hz                t      the next temperament
        l            learn A4 from a note        s      stretch octaves as measured
        r            the initial settings        space  pause the view
        ?            help                        q      quit

      NDJSON FIELDS:
      \(TuneTables.readings(TunerViewOptions()).fieldList(
        kind: "reading for each interval, note for each ended note, summary for the last line"))

      NDJSON FIELDS OF A NOTE:
      \(TuneTables.notes(TunerViewOptions()).fieldList(hasVersion: false))

      The summary adds notes (their number), median_cents, learned_hz, learned_uncertainty_cents, temperament, tonic, \
      transposition, clock_ppm, instrument, polyphonic (whether most of the sound is of several notes), inharmonicity \
      ([{"note", "b"}]), input, sample_rate_hz, channels and channel.
      """)

  // First, since a list of the instruments needs no sound.
  @OptionGroup var tune: TuneOptions
  @OptionGroup var sound: SoundInputOptions
  @OptionGroup var needle: NeedleArguments

  @Flag(help: "Learn A4 from the first played note.")
  var learn = false

  @Option("The written note for --learn. (default: the nearest)", value: "note", parse: Parse.note)
  var learnNote: Note?

  @Option(
    "Largest deviation that is in tune, 0 to 50 cents. (default: 2)", value: "cents",
    parse: Parse.number("cents", in: 0...50))
  var tolerance: Double = TuningReading.defaultTolerance

  @Option(
    "Milliseconds of sound between two readings, 0 to 3600000; 0 for every frame. (default: 100; text: 250, of a file only "
      + "the notes)", value: "ms", parse: Parse.integer("milliseconds", in: 0...3_600_000))
  var interval: Int?

  @OptionGroup var duration: DurationOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    if learnNote != nil, !learn { throw ValidationError("--learn-note requires --learn") }
  }

  func run() async throws {
    log.bootstrap()
    // Invalid options are reported before a device starts.
    let configuration = try tune.configuration(needle: needle.options)
    try await sound.measured(for: "rustle tune -", seconds: duration.seconds, log: log) { input in
      try await listen(input, configuration)
    }
  }

  /// Writes readings and notes or shows them, and writes the summary at the end.
  private func listen(_ input: OpenedInput, _ configuration: TunerConfiguration) async throws -> RunEnding {
    let tuner = try tuner(for: input, configuration)
    if learn { try await tuner.learnReference(note: learnNote) }
    let range = await tuner.range
    var subject = input.subject(channel: tune.channel.number, mixture: "mix")
    subject.detail = String(format: "notes from %.4g to %.4g Hz", range.lowerBound, range.upperBound)
    let options = TunerViewOptions(
      tuning: configuration.tuning, instrument: configuration.instrument, tolerance: tolerance)
    let view = (sound.isFile ? nil : output.screen).map {
      LiveTuner(tuner: tuner, start: configuration, subject: subject, options: options, screen: $0)
    }
    let isText = output.effectiveFormat.isForPeople
    let showsReadings = !isText || !sound.isFile || interval != nil
    let interval = Double(interval ?? (isText ? 250 : 100)) / 1_000
    let tables = TuneTables(
      format: output.effectiveFormat, profile: output.profile, subject: subject, options: options)
    let lines = MeasurementLines(
      header: tables.readings.header,
      progress: log.progress(total: view == nil ? input.expectedFrames : nil, writesAtOnce: showsReadings))
    let notes = Shared(PlayedNotes())
    return try await input.run(view: view) {
      var (due, isNoticed, isChordNoticed) = (-Double.infinity, false, false)
      func notice(after seconds: Double, isPolyphonic: Bool) async {
        if !isNoticed, seconds >= 1, let notice = await tuner.cancellation.notice {
          isNoticed = true
          if let view { await view.notice(notice) } else { log.note("\(input.name): \(notice)") }
        }
        // The view shows it for as long as it lasts.
        if !isChordNoticed, isPolyphonic, view == nil {
          isChordNoticed = true
          log.note("\(input.name): \(PolyphonyMeter.notice)")
        }
      }
      // Notes are made of every frame, also of those not written.
      for try await update in try await tuner.updates(of: input) {
        var line = notes.update { $0.add(update) }.map(tables.line) ?? ""
        if update.time >= due {
          due = due.isFinite ? max(due + interval, update.time + 0.5 * interval) : update.time + interval
          if showsReadings { line += tables.readings.line(update) }
        }
        await view?.show(update)
        await notice(after: update.time, isPolyphonic: update.isPolyphonic)
        try await lines.write(view == nil ? line : "", frames: input.counts.frames)
      }
      await notice(after: .infinity, isPolyphonic: await tuner.isPolyphonic)
    } finish: { ending in
      guard await lines.end(), ending != .readerGone else { return }
      var played = notes.value
      let isPolyphonic = await tuner.isPolyphonic
      let last = played.finish(isPolyphonic: isPolyphonic)
      let result = TuneResult(
        seconds: Double(input.counts.frames) / input.format.sampleRate, played: played,
        configuration: await tuner.configuration, learned: await tuner.learned, isLearning: await tuner.isLearning,
        isPolyphonic: isPolyphonic, inharmonicities: await tuner.inharmonicities,
        droppedFrames: input.counts.droppedFrames,
        overruns: input.counts.overruns)
      if let view { return try await view.finish(result) }
      let gap = isText && showsReadings ? await lines.isEmpty ? "" : "\n" : ""
      try await lines.write((last.map(tables.line) ?? "") + gap + tables.summary(result))
    }
  }

  private func tuner(for input: OpenedInput, _ configuration: TunerConfiguration) throws -> Tuner {
    try CommandFailure.check(channel: tune.channel.number, of: input.format)
    let make = { try Tuner(format: input.format, configuration: configuration) }
    // The rate is the file's own, and nobody's mistake of use; what else is wrong has words of its own.
    let takesRate = PitchConfiguration.sampleRateRange.contains(input.format.sampleRate)
    return try takesRate ? make() : input.fitting(make)
  }
}
