public import Observation

/// The state of a noise meter for a view.
@MainActor
@Observable
public final class NoiseMeterViewModel {
  /// What the meter shows; of the last measurement when none runs.
  public private(set) var reading: NoiseReading?
  /// Whether a measurement runs.
  public private(set) var isRunning = false
  /// Why the last measurement could not begin, or ended early; nil when it did not.
  public private(set) var error: (any Error)?

  @ObservationIgnored private var task: Task<Void, Never>?
  /// Counts starts and stops, so that what is overtaken shows nothing any more.
  @ObservationIgnored private var generation = 0

  /// A model that measures nothing yet.
  public init() {}

  deinit { task?.cancel() }

  /// Measures an input, in place of what ran before. What it shows is renewed after each `interval` of sound.
  public func start(
    _ input: some AudioInput, format: AudioFormat, configuration: NoiseMeterConfiguration = NoiseMeterConfiguration(),
    every interval: Duration = .milliseconds(125)
  ) {
    task?.cancel()
    generation += 1
    let mine = generation
    (reading, error, isRunning) = (nil, nil, true)
    task = Task { [weak self] in
      do {
        let meter = try NoiseMeter(format: format, configuration: configuration)
        for try await reading in try await meter.readings(of: input, every: interval) {
          guard let self, self.generation == mine else { return }
          self.reading = reading
        }
        self?.ended(mine, nil)
      } catch {
        self?.ended(mine, error)
      }
    }
  }

  /// Ends the measurement and returns when its input is left; what it showed stays.
  public func stop() async {
    generation += 1
    isRunning = false
    let ending = task
    task = nil
    ending?.cancel()
    await ending?.value
  }

  private func ended(_ generation: Int, _ error: (any Error)?) {
    guard generation == self.generation else { return }
    isRunning = false
    if !(error is CancellationError) { self.error = error }
  }
}
