public import Foundation
public import Observation
internal import RustleCore

/// The state of a camera mapping, for SwiftUI and other views that observe it.
@MainActor
@Observable
public final class CameraMapperViewModel {
  /// The progress of the mapping; nil before its first frame.
  public private(set) var update: CameraMapper.Update?
  /// The map so far.
  public private(set) var map: FixtureMap?
  /// Whether a mapping runs.
  public private(set) var isRunning = false
  /// The error that ended the mapping; nil without one.
  public private(set) var error: (any Error)?

  /// The mapper.
  @ObservationIgnored public let mapper: CameraMapper
  @ObservationIgnored private let runs = Runs()

  /// Creates the model of a mapper that has not started.
  public init(_ mapper: CameraMapper) { self.mapper = mapper }

  /// Maps a rig; does nothing while a mapping runs. The parameters are those of ``CameraMapper/map(_:frames:restoring:output:)``.
  public func start<Frames: AsyncSequence & Sendable>(
    _ rig: Data, frames: Frames, restoring restored: CameraMapper.Levels? = nil, output: @escaping CameraMapper.Output
  ) where Frames.Element == Data {
    if isRunning { return }
    let run = runs.overtake()
    (update, map, isRunning, error) = (nil, nil, true, nil)
    runs.perform(run) { [weak self, mapper] in
      var refusal: (any Error)?
      do {
        for try await update in try await mapper.map(rig, frames: frames, restoring: restored, output: output) {
          guard let self, runs.newest == run else { return }
          self.update = update
          map = update.map ?? map
        }
      } catch {
        refusal = error
      }
      guard let self, runs.newest == run else { return }
      (isRunning, error) = (false, refusal)
    }
  }

  /// Ends the mapping and returns once its output is restored; ``map`` stays.
  public func stop() async {
    runs.overtake()
    isRunning = false
    await mapper.cancel()
    await runs.finished()
  }
}
