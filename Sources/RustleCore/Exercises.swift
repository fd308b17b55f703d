internal import CRustle
internal import Synchronization

/// Callbacks without an engine, made on the calling thread, for the benchmarks.
package enum SinkExercise {
  /// Makes the native side call an empty function `count` times.
  package static func callEmptyFunction(count: UInt64) throws(NativeError) {
    let sink = unsafe RustleSink(context: nil, on_signal: emptyOnSignal, on_release: emptyOnRelease)
    try unsafe NativeError.check { unsafe rustle_sink_exercise(sink, nil, count, $0) }
  }

  /// Makes the native side call a session's context `count` times; returns the number of calls that it counted.
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

// At the top level for the reason in Sink.swift.

private func emptyOnSignal(_: UnsafeMutableRawPointer?, _: UnsafeRawPointer?) {}
private func emptyOnRelease(_: UnsafeMutableRawPointer?, _: Int32, _: UnsafePointer<UInt8>?, _: Int) {}

/// The native transform without Swift code around it, as the reference of a benchmark.
package enum FFTExercise {
  /// Calls the native function `count` times for the magnitudes of one frame, with the plan's scratch memory.
  ///
  /// - Parameters:
  ///   - input: the samples of one frame of the plan.
  ///   - output: half as many elements.
  package static func magnitudes(_ plan: NativeFFTPlan, of input: [Float], into output: inout [Float], count: Int) {
    let kind = NativeSpectrumOutput.magnitudes.rawValue
    let handle = plan.handle.raw
    defer { extendLifetime(plan) }
    unsafe input.withUnsafeBufferPointer { x in
      unsafe output.withUnsafeMutableBufferPointer { y in
        for _ in 0..<count {
          _ = unsafe rustle_fft_spectrum(handle, kind, x.baseAddress, x.count, y.baseAddress, y.count, nil, 0, nil)
        }
      }
    }
  }
}
