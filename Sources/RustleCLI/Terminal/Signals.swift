import Dispatch
import Foundation

/// Signals as elements of a stream, so that they are handled in a task and not in a signal handler.
actor Signals {
  private let sources: [any DispatchSourceSignal]

  /// The stream of a set of signals, whose default actions are disabled on return. Ends when it is released.
  static func stream(of numbers: [Int32]) async -> AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    let (registered, registration) = AsyncStream.makeStream(of: Void.self)
    let signals = Signals(numbers, continuation, registration)
    // The sources live as long as the stream.
    continuation.onTermination = { _ in _ = signals }
    // A source is registered on another thread: a signal that came before would be lost.
    var missing = numbers.count
    for await _ in registered {
      missing -= 1
      if missing == 0 { break }
    }
    return stream
  }

  private init(
    _ numbers: [Int32], _ continuation: AsyncStream<Int32>.Continuation, _ registration: AsyncStream<Void>.Continuation
  ) {
    sources = numbers.map { number in
      #if !os(Linux)
      // Otherwise a signal would end the process before the source sees it; on Linux the source installs a handler.
      _ = signal(number, SIG_IGN)
      #endif
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
      source.setEventHandler { continuation.yield(number) }
      source.setRegistrationHandler { registration.yield() }
      source.resume()
      return source
    }
  }

  isolated deinit {
    for source in sources { source.cancel() }
  }
}
