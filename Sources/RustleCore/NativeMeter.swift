internal import CRustle

extension NativeMeterConfiguration {
  /// In the place of a metered channel: all.
  package static let allChannels = Int(RUSTLE_CHANNEL_ALL)
}

extension NativeMeter {
  /// The bands' centres in Hz and equivalent levels in dB relative to full scale.
  package func bands() throws(NativeError) -> [(center: Double, level: Double)] {
    // More than a third of an octave has between 8 Hz and 384 kHz.
    var centers = [Double](repeating: 0, count: 64)
    var levels = centers
    var centerSpan = centers.mutableSpan
    var levelSpan = levels.mutableSpan
    let count = try bands(&centerSpan, levels: &levelSpan)
    return Array(zip(centers, levels).prefix(count))
  }
}
