internal import CRustle

extension NativeMeterConfiguration {
  /// In the place of a metered channel: all.
  package static let allChannels = Int(RUSTLE_CHANNEL_ALL)
}

/// A native meter: the one owner of its handle. A call that comes while another one runs is refused.
package final class NativeMeter: Sendable {
  private let handle: NativeHandle

  package init(_ configuration: NativeMeterConfiguration) throws(NativeError) {
    handle = try NativeHandle(RUSTLE_NEW_METER, configuration)
  }

  /// Measures whole frames.
  package func process(_ samples: Span<Float>) throws(NativeError) {
    defer { extendLifetime(self) }
    try NativeCalls.meterProcess(handle.raw, samples: samples)
  }

  /// What the meter shows now.
  package func reading() throws(NativeError) -> NativeMeterReading {
    defer { extendLifetime(self) }
    return try NativeCalls.meterRead(handle.raw)
  }

  /// The level that was exceeded for so many percent of the measurement; nil in its first 5 time constants.
  package func exceeded(percent: Double) throws(NativeError) -> Double? {
    defer { extendLifetime(self) }
    let level = try NativeCalls.meterExceeded(handle.raw, percent: percent)
    return level.isNaN ? nil : level
  }

  /// The bands' centres in Hz and equivalent levels in dB relative to full scale.
  package func bands() throws(NativeError) -> [(center: Double, level: Double)] {
    defer { extendLifetime(self) }
    // More than a third of an octave has between 8 Hz and 384 kHz.
    var centers = [Double](repeating: 0, count: 64)
    var levels = centers
    var centerSpan = centers.mutableSpan
    var levelSpan = levels.mutableSpan
    let count = try NativeCalls.meterBands(handle.raw, centres: &centerSpan, levels: &levelSpan)
    return Array(zip(centers, levels).prefix(count))
  }

  /// Begins a new measurement.
  package func restart() throws(NativeError) {
    defer { extendLifetime(self) }
    try handle.reset()
  }
}
