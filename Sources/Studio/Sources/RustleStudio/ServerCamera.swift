internal import Foundation
internal import Rustle
public import RustleLighting
internal import StudioCore
internal import Synchronization

/// Where the frames of the server's camera are.
public struct CameraInput: Sendable, Hashable {
  /// The path of a file or a pipe; `-`: standard input.
  public var path: String
  /// How its bytes become frames.
  public var format: MappingSettings.Format

  /// The frames of a file or a pipe.
  public init(path: String, format: MappingSettings.Format = .y4m) { (self.path, self.format) = (path, format) }

  fileprivate var isStandardInput: Bool { path == "-" }

  /// Whether a path leads to a file or a pipe.
  public static func isThere(_ path: String) -> Bool { ![nil, .typeDirectory].contains(type(of: path)) }

  /// Whether it is a recording, whose frames come when their time has come.
  fileprivate var isRecording: Bool { !isStandardInput && Self.type(of: path) == .typeRegular }

  private static func type(of path: String) -> FileAttributeType? {
    let path = URL(filePath: path).resolvingSymlinksInPath().path
    return (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
  }

  fileprivate func opened() throws -> FileHandle {
    if isStandardInput { return .standardInput }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw ActionError(
        "refused", "expected frames in \(path), but it cannot be opened", advice: "Check the path of --camera.")
    }
    return handle
  }
}

/// The camera of the server: frames of a file or a pipe, from its opening to its end.
///
/// A recording is read while it is open, each time from its beginning. A pipe is read from its first opening to its end, and its frames
/// are thrown away while it is closed: its program would end with its last reader, or go on with frames of long before.
@MainActor
final class ServerCamera {
  /// The time between frames of a recording that does not say it.
  private nonisolated static let interval = Duration.milliseconds(33)

  let input: CameraInput
  private(set) var isOpen = false { didSet { isWanted.store(isOpen, ordering: .relaxed) } }
  /// The newest frame since it was opened.
  private(set) var frame: GrayFrame?
  /// Why its frames ended, or did not begin.
  private(set) var failure: ActionError?
  /// Receives each frame while it is open.
  var onFrame: @MainActor (GrayFrame) -> Void = { _ in }
  /// Is called when it has a first frame, and when it has ended by itself.
  var onChange: @MainActor () -> Void = {}
  private var reading: Task<Void, Never>?
  /// Whether it is open, for who reads.
  private nonisolated let isWanted = Atomic(false)

  init(_ input: CameraInput) { self.input = input }

  func open() {
    guard !isOpen else { return }
    (isOpen, frame, failure) = (true, nil, nil)
    if reading == nil { read() }
  }

  func close() {
    (isOpen, frame) = (false, nil)
    if input.isRecording { stop() }
  }

  /// Ends the reading.
  func stop() {
    reading?.cancel()
    reading = nil
  }

  private func read() {
    let input = input
    reading = Task.detached { [weak self] in
      do {
        let reader = try FrameReader(input.format)
        let isRecording = input.isRecording
        var due = ContinuousClock.now
        for try await bytes in CameraBytes({ try input.opened() }) {
          for frame in try await reader.push(bytes) where self?.isWanted.load(ordering: .relaxed) == true {
            if isRecording {
              try await ContinuousClock().sleep(until: due)
              due += try await reader.interval ?? Self.interval
            }
            await self?.show(frame)
          }
        }
        try Task.checkCancellation()
        try await reader.end()
        await self?.ended(ActionError("ended", "the frames have ended", advice: "Start the camera's program anew."))
      } catch let error as ActionError {
        await self?.ended(error)
      } catch let error as LightingError {
        await self?.ended(ActionError(error))
      } catch {
        // It was closed.
      }
    }
  }

  private func show(_ frame: GrayFrame) {
    guard isOpen, !Task.isCancelled else { return }
    let isFirst = self.frame == nil
    self.frame = frame
    if isFirst { onChange() }
    onFrame(frame)
  }

  private func ended(_ failure: ActionError) {
    guard !Task.isCancelled else { return }
    (isOpen, frame, self.failure, reading) = (false, nil, failure, nil)
    onChange()
  }
}

extension ServerCamera {
  /// The state that clients are sent.
  var json: JSON {
    [
      "open": .bool(isOpen), "name": .string(input.isStandardInput ? "standard input" : input.path),
      "width": frame.map { .integer($0.width) } ?? .null, "height": frame.map { .integer($0.height) } ?? .null,
      "error": failure?.json ?? .null,
    ]
  }
}
