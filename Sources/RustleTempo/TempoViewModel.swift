public import Observation
internal import RustleCore

/// The beats of a clock and its session, for a view.
@MainActor
@Observable
public final class TempoViewModel {
  /// The newest state; nil before the first.
  public private(set) var state: BeatState?
  /// Whether reports are shown.
  public private(set) var isRunning = false
  /// The error that prevented a call, or ended the reports; nil: none did.
  public private(set) var error: TempoError?

  /// The clock.
  @ObservationIgnored public let clock: TempoClock
  /// The session that the clock follows, if it was made with one.
  @ObservationIgnored public let session: LinkSession?
  @ObservationIgnored private let runs = Runs()

  /// Creates a model of a clock, and of the session that it follows.
  public init(_ clock: TempoClock, session: LinkSession? = nil) { (self.clock, self.session) = (clock, session) }

  /// Shows the reports; does nothing while it does.
  public func start() {
    if isRunning { return }
    let run = runs.overtake()
    (isRunning, error) = (true, nil)
    runs.perform(run) { [weak self, clock] in
      var refusal: TempoError?
      do throws(TempoError) {
        for await element in try await clock.reports() {
          guard let self, runs.newest == run else { return }
          if let report = element.value { state = report.state }
        }
      } catch {
        refusal = error
      }
      guard let self, runs.newest == run else { return }
      (isRunning, error) = (false, refusal)
    }
  }

  /// Records a tap at the present time.
  public func tap() { attempt { () throws(TempoError) in try clock.tap() } }

  /// Sets the tempo in beats per minute, 20 to 999.
  public func setTempo(_ tempo: Double) { attempt { () throws(TempoError) in try clock.setTempo(tempo) } }

  /// Takes part in sessions, or leaves; has no effect without a session.
  public func setEnabled(_ isEnabled: Bool) {
    attempt { () throws(TempoError) in try isEnabled ? session?.enable() : session?.disable() }
  }

  /// Ends the reports and returns when they have ended. The session goes on.
  public func stop() async {
    runs.overtake()
    isRunning = false
    await clock.cancel()
    await runs.finished()
  }

  private func attempt(_ call: () throws(TempoError) -> Void) {
    do throws(TempoError) {
      try call()
      state = clock.beats()
    } catch {
      self.error = error
    }
  }
}
