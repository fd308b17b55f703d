public import Observation
internal import RustleCore

/// The state of a tuner for a view.
@MainActor
@Observable
public final class TunerViewModel {
  /// What the tuner shows; of the last sound when it does not run.
  public private(set) var update: TunerUpdate?
  /// Whether it listens.
  public private(set) var isRunning = false
  /// Why the last run could not begin, or ended early; nil when it did not.
  public private(set) var error: (any Error)?
  /// What it is set to, or will be when it is started.
  public private(set) var configuration: TunerConfiguration

  @ObservationIgnored private var tuner: Tuner?
  @ObservationIgnored private let runs = Runs()
  /// Counts what was set of the tuning, and what of that the tuner does not have yet: what it has meanwhile is out of date.
  @ObservationIgnored private var settings = 0
  @ObservationIgnored private var settingsUnderWay = 0
  /// Counts what was set of the instrument. Until the tuner has it, ``accepted`` is the one to go back to.
  @ObservationIgnored private var instrumentsSet = 0
  @ObservationIgnored private var accepted: Instrument

  /// A model that listens to nothing yet.
  public init(configuration: TunerConfiguration = TunerConfiguration()) {
    self.configuration = configuration
    accepted = configuration.instrument
  }

  /// Note and cents, steadied; nil when there is nothing to show.
  public var reading: TuningReading? { update?.needle?.reading }
  /// Whether the tone is over and ``reading`` the last one of it.
  public var isHeld: Bool { update?.needle?.isHeld ?? false }
  /// The place in ``Instrument/strings`` of the string that is tuned; nil when there is none.
  public var string: Int? { update?.string }
  /// Of the newest frame, 0 to 1.
  public var confidence: Double { update?.frame.confidence ?? 0 }
  /// Of the newest frame, in dB as ``PitchFrame/level``; negative infinity in silence.
  public var level: Double { update?.frame.level ?? -.infinity }
  /// In words what a needle and its colour show, for example `A4, 12.3 cents flat`; `no tone` when there is nothing.
  public var text: String { update?.words() ?? "no tone" }

  /// Listens to an input, in place of what ran before. What it shows is renewed after each `interval` of sound.
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
            // A reference that was learned is the tuner's own doing.
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

  /// Ends the listening and returns when its input is left; what it showed stays.
  public func stop() async {
    runs.overtake()
    (isRunning, tuner) = (false, nil)
    await runs.finished()
  }

  /// Sets what frequencies are compared with, also while it runs.
  public func set(tuning: Tuning) async {
    configuration.tuning = tuning
    settings += 1
    settingsUnderWay += 1
    defer { settingsUnderWay -= 1 }
    await tuner?.set(tuning: tuning)
  }

  /// Sets what is tuned, also while it runs.
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
      // A run that began meanwhile has told by itself whether it can do with it.
      guard run == runs.newest else { return }
      if number == instrumentsSet { configuration.instrument = accepted }
      throw error
    }
  }

  /// Sets how the needle is steadied, also while it runs.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; nothing is changed then.
  public func set(needle: NeedleOptions) async throws(AudioError) {
    try needle.check()
    configuration.needle = needle
    try await tuner?.set(needle: needle)
  }

  /// Learns the reference from the note that is played from now on; nothing when it does not run.
  ///
  /// - Parameter note: the written note that is played; nil: whichever is nearest to what sounds.
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
