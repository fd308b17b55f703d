internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles

struct TuneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tune",
    abstract: "Tune an instrument: the note that sounds, and by how many cents it is off.",
    usage: """
      rustle tune [<input>] [--device <name>] [--instrument <name|file>]
              [--reference <hz>] [--temperament <name|file>] [--json]
      """,
    discussion: """
      A device is listened to in real time: on a terminal with a live needle, elsewhere one line for each interval. Keys: q \
      quits, up, down, + and - move A4 by 1 Hz, left and right by 0.1 Hz, i takes the next instrument, t the next \
      temperament, l learns A4 from the note that is played, s stretches the octaves as the strings that were played \
      ask for, r goes back to the beginning, space pauses the view, ? helps. A file is read as fast as it can be. At the \
      end there is a list of the notes with the median of their cents.

      FLAT, IN TUNE and SHARP say what the colours say. The confidence is the share of such frames whose pitch is right. With an \
      instrument the nearest of its strings is the target, however far it is, and the frequencies that are looked for go \
      from a fifth below the lowest string to two octaves above the highest.

      EXAMPLES:
        rustle tune --device default --instrument guitar
        rustle tune take1.flac --reference 442
        rustle tune --demo --temperament werckmeisterIII --tonic D
        rustle tune --device default --learn
        rustle tune take1.flac --json | jq 'select(.kind == "note")'

      NDJSON FIELDS:
        v                    1, the version of these fields
        kind                 reading for each interval, note for each that
                             ended, summary for the last line
        t_s                  seconds; of a note its beginning, with end_s
        note, string, cents, hz, target_hz, direction, held
                             what the needle shows; null is no tone; strings
                             are counted from 1; direction is flat, in_tune or
                             sharp; held: the tone is over
        confidence, level_db, frame_hz, frame_cents, deviation_cents,
        inharmonicity        of the newest frame, before it is steadied; the
                             level relative to a full-scale square wave: a
                             sine at full scale has -3.01 dB
        reference_hz, learning
                             what A4 is, and whether it is being learned
        spread_cents, frames of a note: half of its frames are within the
                             spread around cents, their median
        dropped_frames, overruns
                             of a device; with each loss the measurement
                             begins anew
      The summary adds notes (their number), median_cents, learned_hz, learned_uncertainty_cents, temperament, tonic, \
      transposition, clock_ppm, instrument, inharmonicity ([{"note", "b"}]), input, sample_rate_hz, channels and channel.
      """)

  // First, since a list of the instruments needs no sound.
  @OptionGroup var tune: TuneOptions
  @OptionGroup var sound: SoundInputOptions
  @OptionGroup var needle: NeedleArguments

  @Flag(help: "Learn A4 from the first note that is played, and go on with it.")
  var learn = false

  @Option(
    help: ArgumentHelp(
      "The written note that --learn hears. (default: the nearest to what sounds)", valueName: "note"),
    transform: Parse.note)
  var learnNote: Note?

  @Option(
    help: "How many cents on either side are in tune, 0 to 50.", value: "cents",
    parse: Parse.number("cents", in: 0...50))
  var tolerance: Double = TuningReading.defaultTolerance

  @Option(
    help:
      "Milliseconds of sound between two readings, 0 to 3600000; 0: every frame. (default: 100; as text 250, and of a file the "
      + "notes alone)", value: "ms", parse: Parse.integer("milliseconds", in: 0...3_600_000))
  var interval: Int?

  @OptionGroup var duration: DurationOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    if let learnNote, !learn { throw ValidationError("--learn-note: expected it with --learn, got \(learnNote) alone") }
  }

  func run() async throws {
    log.bootstrap()
    // What cannot be used is told before a device runs.
    let configuration = try tune.configuration(needle: needle.options)
    let input = try await sound.open(for: "rustle tune -", seconds: duration.seconds)
    let ending: RunEnding
    do {
      ending = try await listen(input, configuration)
    } catch {
      await input.close()
      throw error
    }
    if let shortness = input.shortness, ending == .streamEnded { log.note(shortness) }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  private func listen(_ input: SoundInput, _ configuration: TunerConfiguration) async throws -> RunEnding {
    let tuner = try tuner(for: input, configuration)
    if learn { try await tuner.learnReference(note: learnNote) }
    let range = await tuner.range
    var subject = input.subject(channel: tune.channel.number, mixture: "mix")
    subject.detail = String(format: "notes from %.4g to %.4g Hz", range.lowerBound, range.upperBound)
    let options = TunerViewOptions(
      tuning: configuration.tuning, instrument: configuration.instrument, tolerance: tolerance)
    let isFile = !input.isLive && sound.input != AudioFileReader.standardInputPath
    let view = (isFile ? nil : output.screen).map {
      LiveTuner(tuner: tuner, keys: TuneKeys(start: configuration), subject: subject, options: options, screen: $0)
    }
    let isText = output.effectiveFormat.isForPeople
    let showsReadings = !isText || !isFile || interval != nil
    let session = TuneSession(
      input: input, tuner: tuner, view: view,
      tables: TuneTables(
        format: output.effectiveFormat, profile: output.profile, subject: subject, options: options),
      showsReadings: showsReadings, interval: Double(interval ?? (isText ? 250 : 100)) / 1_000,
      progress: log.progress(total: view == nil ? input.expectedFrames : nil, writesAtOnce: showsReadings))
    return try await session.run()
  }

  private func tuner(for input: SoundInput, _ configuration: TunerConfiguration) throws -> Tuner {
    try CommandFailure.check(channel: tune.channel.number, of: input.format)
    do {
      return try Tuner(format: input.format, configuration: configuration)
    } catch {
      // The rate is the file's own, and nobody's mistake of use; what else is wrong has words of its own.
      let takesRate = PitchConfiguration.sampleRateRange.contains(input.format.sampleRate)
      guard error.code == .validation, input.file != nil, !takesRate else { throw error }
      throw CommandFailure(.badData, "\(input.name): \(error.message)", advice: "convert the file first")
    }
  }
}
