public import Observation
internal import RustleCore

/// The state of a receiver for a view.
@MainActor
@Observable
public final class DMXReceiverViewModel {
  /// The newest levels of each universe that has some.
  public private(set) var universes: [DMXUniverse: DMXUniverseLevels] = [:]
  /// The newest events, the latest last, at most ``eventLimit``.
  public private(set) var events: [DMXEvent] = []
  /// Whether it receives.
  public private(set) var isRunning = false
  /// The error that prevented the start or ended the receiving; nil: none did.
  public private(set) var error: LightingError?
  /// The maximum number of events kept, 1 or more.
  public let eventLimit: Int

  /// The receiver.
  @ObservationIgnored public let receiver: DMXReceiver
  @ObservationIgnored private let runs = Runs()

  /// Creates a model of a receiver that is not started.
  ///
  /// - Parameter eventLimit: the maximum number of events kept; less than 1 counts as 1.
  public init(_ receiver: DMXReceiver, eventLimit: Int = 100) {
    self.receiver = receiver
    self.eventLimit = max(1, eventLimit)
  }

  /// Opens the network; does nothing while it receives. Levels and events of an earlier run are forgotten.
  public func start() {
    if isRunning { return }
    let run = runs.overtake()
    (universes, events, isRunning, error) = ([:], [], true, nil)
    runs.perform(run) { [weak self, receiver] in
      var refusal: LightingError?
      do throws(LightingError) {
        // First the events: a source that appeared before is not reported again.
        let events = try await receiver.events()
        let universes = try await receiver.levels()
        self?.show(events, run)
        for await element in universes {
          guard let self, runs.newest == run else { return }
          if let levels = element.value { self.universes[levels.universe] = levels }
        }
      } catch {
        refusal = error
      }
      self?.ended(run, refusal)
    }
  }

  private func show(_ stream: EngineStream<DMXEvent>, _ run: Runs.Run) {
    runs.perform(run) { [weak self] in
      for await element in stream {
        guard let self, runs.newest == run else { return }
        guard let event = element.value else { continue }
        events = events.suffix(eventLimit - 1) + [event]
      }
    }
  }

  /// Ends the streams and returns when they have ended; levels and events stay.
  public func stop() async {
    runs.overtake()
    isRunning = false
    await runs.finished()
  }

  private func ended(_ run: Runs.Run, _ refusal: LightingError?) {
    guard runs.newest == run else { return }
    (isRunning, error) = (false, refusal)
  }
}
