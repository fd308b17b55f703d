internal import CRustle
internal import Synchronization

/// Callbacks with no engine behind them, made on the calling thread: for the benchmarks.
package enum SinkExercise {
  /// Has a function that does nothing called `count` times.
  package static func callEmptyFunction(count: UInt64) throws(NativeError) {
    let sink = unsafe RustleSink(context: nil, on_signal: emptyOnSignal, on_release: emptyOnRelease)
    try unsafe NativeError.check { unsafe rustle_sink_exercise(sink, nil, count, $0) }
  }

  /// Has a session's context called `count` times, which counts the calls; returns what it counted.
  package static func callContext(count: UInt64) throws(NativeError) -> UInt64 {
    let counter = Counter()
    let context = unsafe SinkContext(onEvent: { _ in counter.add() }, onEnd: { _ in })
    try unsafe context.start { sink throws(NativeError) in
      try unsafe NativeError.check { unsafe rustle_sink_exercise(sink, nil, count, $0) }
    }
    return counter.value
  }

  private final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)
    var value: UInt64 { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
  }
}

// At the top level for the reason that Sink.swift gives.

private func emptyOnSignal(_: UnsafeMutableRawPointer?, _: UnsafeRawPointer?) {}
private func emptyOnRelease(_: UnsafeMutableRawPointer?, _: Int32, _: UnsafePointer<UInt8>?, _: Int) {}
