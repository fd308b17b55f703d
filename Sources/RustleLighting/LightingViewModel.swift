public import Observation
internal import RustleCore
public import RustleTempo

/// The state of a show that plays, for a view.
@MainActor
@Observable
public final class LightingViewModel {
  /// The newest report; nil before the first.
  public private(set) var report: LightingReport?
  /// Whether the show plays.
  public private(set) var isRunning = false
  /// The error that prevented the start or a call, or ended the show; nil: none did.
  public private(set) var error: LightingError?

  /// The controller, which takes the inputs.
  @ObservationIgnored public let controller: LightingController
  @ObservationIgnored private let runs = Runs()

  /// Creates a model of a controller that is not started.
  public init(_ controller: LightingController) { self.controller = controller }

  /// The name of the scene that is on; nil: none.
  public var scene: String? {
    let scenes = controller.show.scenes
    return report?.scene.flatMap { scenes.indices.contains($0) ? scenes[$0] : nil }
  }

  /// Plays the show on senders, with the beats of a clock if there is one; does nothing while it plays.
  public func start(outputs: [DMXSender] = [], following clock: TempoClock? = nil) {
    if isRunning { return }
    let run = runs.overtake()
    (isRunning, error) = (true, nil)
    runs.perform(run) { [weak self, controller] in
      var refusal: LightingError?
      do throws(LightingError) {
        for await element in try await controller.start(outputs: outputs, following: clock) {
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

  /// Goes to the next cue.
  public func go() async { await attempt { controller throws(LightingError) in try await controller.go() } }

  /// Goes to the cue before.
  public func back() async { await attempt { controller throws(LightingError) in try await controller.back() } }

  /// Turns all light off, or on again.
  public func toggleBlackout() async {
    let isBlackout = report?.isBlackout ?? false
    await attempt { controller throws(LightingError) in try await controller.setBlackout(!isBlackout) }
  }

  /// Sets what all light is multiplied with, 0 to 1.
  public func setMaster(_ level: Double) async {
    await attempt { controller throws(LightingError) in try await controller.setMaster(level) }
  }

  /// Ends the show and its senders, and returns when their last packet has been sent.
  public func stop() async {
    runs.overtake()
    isRunning = false
    await controller.stop()
    await runs.finished()
  }

  private func attempt(_ call: (LightingController) async throws(LightingError) -> Void) async {
    do throws(LightingError) { try await call(controller) } catch { self.error = error }
  }
}
