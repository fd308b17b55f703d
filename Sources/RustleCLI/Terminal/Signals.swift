import Dispatch
import Foundation

/// Signals as elements of a stream, so that they are handled in a task and not in a signal handler.
actor Signals {
  private let sources: [any DispatchSourceSignal]

  /// The stream of a set of signals, which do nothing else from then on. It ends when it is dropped.
  static func stream(of numbers: [Int32]) -> AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    let signals = Signals(numbers, continuation)
    // The sources live as long as somebody listens.
    continuation.onTermination = { _ in _ = signals }
    return stream
  }

  private init(_ numbers: [Int32], _ continuation: AsyncStream<Int32>.Continuation) {
    sources = numbers.map { number in
      // Without this a signal would end the process before the source saw it (Darwin); on Linux the source's own handler
      // takes its place.
      _ = signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
      source.setEventHandler { continuation.yield(number) }
      source.resume()
      return source
    }
  }

  isolated deinit {
    for source in sources { source.cancel() }
  }
}
