internal import CRustle

extension NativeMeterConfiguration {
  /// The value for all channels in the place of a metered channel.
  package static let allChannels = Int(RUSTLE_CHANNEL_ALL)
}

extension NativeMeter {
  /// Adds the measurement of another meter.
  package func add(_ other: NativeMeter) throws(NativeError) {
    defer { extendLifetime(other) }
    try add(NativeMeterAddition(meter: other.handle.raw))
  }

  /// Returns the bands' centre frequencies in Hz and time-averaged levels in dB relative to full scale.
  package func bands() throws(NativeError) -> [(center: Double, level: Double)] {
    // More than the number of one-third-octave bands between 8 Hz and 384 kHz.
    var centers = [Double](repeating: 0, count: 64)
    var levels = centers
    var centerSpan = centers.mutableSpan
    var levelSpan = levels.mutableSpan
    let count = try bands(&centerSpan, levels: &levelSpan)
    return Array(zip(centers, levels).prefix(count))
  }
}
