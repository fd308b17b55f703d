public import Foundation
internal import RustleFiles
internal import RustleCore

/// The bytes of a camera's frames, as a file or a pipe has them, for ``CameraMapper`` or ``FrameReader``.
///
/// Opening and reading a pipe block, so a queue does both, and nothing is read ahead. A consumer that is cancelled waits no longer.
public struct CameraBytes: AsyncSequence, Sendable {
  /// The most bytes of a piece.
  private static let limit = 1 << 20

  private let open: @Sendable () throws -> FileHandle

  /// The bytes of what a function opens when the first ones are wanted.
  public init(_ open: @escaping @Sendable () throws -> FileHandle) { self.open = open }

  /// Begins to read.
  public func makeAsyncIterator() -> Iterator { Iterator(open: open) }

  /// Gives the bytes piece by piece; nil at the end and after a cancellation.
  public struct Iterator: AsyncIteratorProtocol {
    private let queue = DispatchQueue(label: "rustle-frames")
    private let source: Source

    init(open: @escaping @Sendable () throws -> FileHandle) { source = Source(open: open) }

    /// The next piece, 1 byte to 1 MiB.
    public mutating func next() async throws -> Data? {
      let (queue, source, answer) = (queue, source, Answer())
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          guard answer.wait(continuation) else { return }
          queue.async { answer.give(Result { try source.read() }) }
        }
      } onCancel: {
        answer.give(.success(nil))
      }
    }
  }

  /// What is read, once it is open.
  private final class Source: Sendable {
    private let open: @Sendable () throws -> FileHandle
    private let handle = SeenMutex<FileHandle?>(nil)

    init(open: @escaping @Sendable () throws -> FileHandle) { self.open = open }

    func read() throws -> Data? {
      let handle = try handle.withLock { handle in
        if let handle { return handle }
        let opened = try open()
        handle = opened
        return opened
      }
      do {
        let bytes = try AvailableBytes.read(from: handle, atMost: CameraBytes.limit)
        return bytes.isEmpty ? nil : bytes
      } catch {
        throw LightingError(
          .malformedInput, "frames: expected bytes, got none: \(error.reason)", advice: "Check the camera's program.")
      }
    }
  }

  /// Who waits for bytes: it is answered once, by a piece, an error, or its cancellation.
  private final class Answer: Sendable {
    private enum State {
      case new
      case waits(CheckedContinuation<Data?, any Error>)
      case given
    }

    private let state = SeenMutex(State.new)

    /// Waits; false: it was cancelled before.
    func wait(_ continuation: CheckedContinuation<Data?, any Error>) -> Bool {
      let waits = state.withLock { state in
        guard case .new = state else { return false }
        state = .waits(continuation)
        return true
      }
      if !waits { continuation.resume(returning: nil) }
      return waits
    }

    func give(_ result: Result<Data?, any Error>) {
      let before = state.withLock { state in
        defer { state = .given }
        return state
      }
      if case .waits(let continuation) = before { continuation.resume(with: result) }
    }
  }
}
