internal import RustleAudio
internal import Synchronization

/// The sound that all analyzers hear: each reads it from now on, and a slow one loses the oldest.
final class SoundFan: AudioInput {
  /// The buffers that wait for one reader: more than a second of them.
  private static let capacity = 64

  private struct State {
    var readers: [Int: AsyncStream<PCMBuffer>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// How many hear it now.
  var readerCount: Int { state.withLock { $0.readers.count } }

  func buffers() -> AsyncStream<PCMBuffer> {
    let (stream, continuation) = AsyncStream<PCMBuffer>.makeStream(bufferingPolicy: .bufferingNewest(Self.capacity))
    let id = state.withLock { state in
      state.next += 1
      state.readers[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.readers.removeValue(forKey: id) } }
    return stream
  }

  /// Gives every reader a buffer.
  func push(_ buffer: PCMBuffer) {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.yield(buffer) }
  }

  /// Ends the sound for every reader.
  func finish() {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() }
  }
}
