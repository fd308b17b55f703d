public import Observation
internal import RustleCore

/// The state of a sender for a view.
@MainActor
@Observable
public final class DMXSenderViewModel {
  /// The newest report; nil before the first.
  public private(set) var report: DMXReport?
  /// Whether it sends.
  public private(set) var isRunning = false
  /// The error that prevented the start or ended the sending; nil: none did.
  public private(set) var error: LightingError?

  /// The sender, which takes the levels.
  @ObservationIgnored public let sender: DMXSender
  @ObservationIgnored private let runs = Runs()

  /// Creates a model of a sender that is not started.
  public init(_ sender: DMXSender) { self.sender = sender }

  /// Starts the sender; does nothing while it sends.
  public func start() {
    if isRunning { return }
    let run = runs.overtake()
    (isRunning, error) = (true, nil)
    runs.perform(run) { [weak self, sender] in
      var refusal: LightingError?
      do throws(LightingError) {
        for await element in try await sender.start() {
          guard let self, runs.newest == run else { return }
          if let report = element.value { self.report = report }
        }
      } catch {
        refusal = error
      }
      guard let self, runs.newest == run else { return }
      (isRunning, error) = (false, refusal)
    }
  }

  /// Ends all universes and returns when the last packet has been sent.
  public func stop() async {
    runs.overtake()
    isRunning = false
    await sender.stop()
    await runs.finished()
    report = await sender.report ?? report
  }
}
