public import Observation
internal import RustleCore

/// The state of a tuner for a view.
@MainActor
@Observable
public final class TunerViewModel {
  /// The tuner's newest update; when it does not run, the last one of the last run.
  public private(set) var update: TunerUpdate?
  /// Whether the tuner runs.
  public private(set) var isRunning = false
  /// The error that kept the last run from beginning, or ended it early; nil: none.
  public private(set) var error: (any Error)?
  /// The settings, which a run begins with.
  public private(set) var configuration: TunerConfiguration

  @ObservationIgnored private var tuner: Tuner?
  @ObservationIgnored private let runs = Runs()
  /// Counts the changes of the tuning, and those that the tuner does not have yet: its own tuning is out of date meanwhile.
  @ObservationIgnored private var settings = 0
  @ObservationIgnored private var settingsUnderWay = 0
  /// Counts the changes of the instrument. Until the tuner has the newest, ``accepted`` is the one to return to.
  @ObservationIgnored private var instrumentsSet = 0
  @ObservationIgnored private var accepted: Instrument

  /// Creates a model that does not run.
  public init(configuration: TunerConfiguration = TunerConfiguration()) {
    self.configuration = configuration
    accepted = configuration.instrument
  }

  /// The smoothed note and cents; nil without a tone.
  public var reading: TuningReading? { update?.needle?.reading }
  /// Whether the tone has ended and ``reading`` is its last one.
  public var isHeld: Bool { update?.needle?.isHeld ?? false }
  /// The index in ``Instrument/strings`` of the string that is tuned, from 0; nil: none.
  public var stringIndex: Int? { update?.stringIndex }
  /// The confidence of the newest frame, 0 to 1.
  public var confidence: Double { update?.frame.confidence ?? 0 }
  /// The level of the newest frame, in dB as ``PitchFrame/level``; negative infinity in silence.
  public var level: Double { update?.frame.level ?? -.infinity }
  /// Whether several notes sound at once (``TunerUpdate/isPolyphonic``).
  public var isPolyphonic: Bool { update?.isPolyphonic ?? false }
  /// The needle's deviation in words, for example `A4, 12.3 cents flat`; `no tone` without a needle.
  public var text: String { update?.words() ?? "no tone" }

  /// Measures an input, in place of the run before. The values are updated after each `interval` of sound.
  public func start(_ input: some AudioInput, format: AudioFormat, every interval: Duration = .milliseconds(40)) {
    let run = runs.overtake()
    (update, error, isRunning, tuner) = (nil, nil, true, nil)
    do {
      let tuner = try Tuner(format: format, configuration: configuration)
      self.tuner = tuner
      runs.perform(run) { [weak self] in
        do {
          for try await update in try await tuner.updates(of: input, every: interval) {
            guard let self, run == self.runs.newest else { return }
            self.update = update
            // A learned reference is the tuner's own change.
            if update.tuning.reference != self.configuration.tuning.reference { await self.adopt(from: tuner, run) }
          }
          await self?.adopt(from: tuner, run)
          self?.ended(run, nil)
        } catch {
          self?.ended(run, error)
        }
      }
    } catch {
      ended(run, error)
    }
  }

  /// Ends the run and returns when its input has ended; its values stay.
  public func stop() async {
    runs.overtake()
    (isRunning, tuner) = (false, nil)
    await runs.finished()
  }

  /// Sets the target frequencies, also while it runs.
  public func set(tuning: Tuning) async {
    configuration.tuning = tuning
    settings += 1
    settingsUnderWay += 1
    defer { settingsUnderWay -= 1 }
    await tuner?.set(tuning: tuning)
  }

  /// Sets the instrument, also while it runs.
  ///
  /// - Throws: ``AudioError`` as ``Tuner/set(instrument:)``; nothing is changed then.
  public func set(instrument: Instrument) async throws(AudioError) {
    // At once: a run that begins while the tuner is busy takes it from here.
    configuration.instrument = instrument
    instrumentsSet += 1
    let (number, run) = (instrumentsSet, runs.newest)
    do {
      try await tuner?.set(instrument: instrument)
      accepted = instrument
    } catch {
      // A run that began meanwhile has reported whether it accepts the instrument.
      guard run == runs.newest else { return }
      if number == instrumentsSet { configuration.instrument = accepted }
      throw error
    }
  }

  /// Sets the smoothing of the needle, also while it runs.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; nothing is changed then.
  public func set(needle: NeedleOptions) async throws(AudioError) {
    try needle.check()
    configuration.needle = needle
    try await tuner?.set(needle: needle)
  }

  /// Learns the reference from the note played from now on. Does nothing when it does not run.
  ///
  /// - Parameter note: the played note as written; nil: the nearest to the sound.
  /// - Throws: ``AudioError`` as ``Tuner/learnReference(note:goal:)``.
  public func learnReference(note: Note? = nil) async throws(AudioError) {
    try await tuner?.learnReference(note: note)
  }

  private func adopt(from tuner: Tuner, _ run: Runs.Run) async {
    guard settingsUnderWay == 0 else { return }
    let before = settings
    let tuning = await tuner.configuration.tuning
    if run == runs.newest, before == settings { configuration.tuning = tuning }
  }

  private func ended(_ run: Runs.Run, _ error: (any Error)?) {
    guard run == runs.newest else { return }
    isRunning = false
    tuner = nil
    if !(error is CancellationError) { self.error = error }
  }
}
