public import Observation
internal import RustleCore

/// The state of a noise meter for a view.
@MainActor
@Observable
public final class NoiseMeterViewModel {
  /// The meter's newest reading; when no measurement runs, the last one of the last measurement.
  public private(set) var reading: SoundLevelReading?
  /// The readings of the measurement over time, for a chart.
  public private(set) var history = LevelHistory()
  /// Whether a measurement runs.
  public private(set) var isRunning = false
  /// The error that kept the last measurement from beginning, or ended it early; nil: none.
  public private(set) var error: (any Error)?

  @ObservationIgnored private let runs = Runs()

  /// Creates a model that does not run.
  public init() {}

  /// Measures an input, in place of the run before. The reading is updated after each `interval` of sound.
  public func start(
    _ input: some AudioInput, format: AudioFormat,
    configuration: SoundLevelMeterConfiguration = SoundLevelMeterConfiguration(),
    every interval: Duration = .milliseconds(125)
  ) {
    let run = runs.overtake()
    (reading, history, error, isRunning) = (nil, LevelHistory(), nil, true)
    runs.perform(run) { [weak self] in
      do {
        let meter = try SoundLevelMeter(format: format, configuration: configuration)
        for try await reading in try await meter.readings(of: input, every: interval) {
          guard let self, run == self.runs.newest else { return }
          self.reading = reading
          self.history.add(reading)
        }
        self?.ended(run, nil)
      } catch {
        self?.ended(run, error)
      }
    }
  }

  /// Ends the measurement and returns when its input has ended; the reading stays.
  public func stop() async {
    runs.overtake()
    isRunning = false
    await runs.finished()
  }

  private func ended(_ run: Runs.Run, _ error: (any Error)?) {
    guard run == runs.newest else { return }
    isRunning = false
    if !(error is CancellationError) { self.error = error }
  }
}
