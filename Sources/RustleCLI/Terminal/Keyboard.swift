import Foundation

/// Reads the keys of standard input.
enum Keyboard {
  /// The keys as they are pressed. Ends when standard input does; dropping it stops the reading.
  static func keys() -> AsyncStream<Key> {
    let (stream, continuation) = AsyncStream.makeStream(of: Key.self)
    let input = FileHandle.standardInput
    input.readabilityHandler = { input in
      // It is called when bytes are there, so that this does not wait; no bytes are the end.
      let bytes = input.availableData
      if bytes.isEmpty { return continuation.finish() }
      for key in Key.keys(in: bytes) { continuation.yield(key) }
    }
    continuation.onTermination = { _ in input.readabilityHandler = nil }
    return stream
  }
}
