internal import CRustle

/// Native functions on samples and spectra that need no plan.
package enum NativeSpectrum {
  /// Returns the magnitudes of the first `size` / 2 bins, by the C function of the project's brief; nil when it refuses.
  ///
  /// - Parameters:
  ///   - signal: at least one sample; padded with zeros or cropped to `size`.
  ///   - size: a power of two from 256 to 8192.
  package static func compute(
    of signal: Span<Float>, size: Int, window: NativeWindow
  ) throws(NativeError) -> [Float]? {
    try NativeLibrary.prepare()
    guard let size = Int32(exactly: size), let window = Int32(exactly: window.rawValue) else { return nil }
    return unsafe signal.withUnsafeBufferPointer { signal in
      // Samples beyond the frame are cropped in any case; here, so that the length fits its type.
      let length = Int32(min(signal.count, max(0, Int(size))))
      guard let result = unsafe compute_fft_rust(signal.baseAddress, length, size, window) else { return nil }
      defer { unsafe free_fft_result_rust(result) }
      return unsafe Array(UnsafeBufferPointer(start: result, count: Int(size) / 2))
    }
  }

  /// Returns the sinusoids of a spectrum, the strongest first.
  ///
  /// - Parameters:
  ///   - amplitudes: N/2 + 1 magnitudes; a full-scale sine has 1.0.
  ///   - limit: the maximum number of peaks.
  package static func peaks(
    in amplitudes: Span<Float>, _ search: NativePeakSearch, limit: Int
  ) throws(NativeError) -> [NativePeak] {
    // There are fewer peaks than bins.
    var records = [RustlePeak](repeating: RustlePeak(), count: max(0, min(limit, amplitudes.count)))
    var span = records.mutableSpan
    let count = try NativeCalls.spectrumPeaks(amplitudes: amplitudes, search: search, peaks: &span)
    return records.prefix(count).map(NativePeak.init)
  }
}

extension NativeSTFTStream {
  /// Creates a stream at the beginning of a signal.
  package convenience init(_ stft: NativeSTFT) throws(NativeError) {
    defer { extendLifetime(stft) }
    try self.init(NativeSTFTStreamConfiguration(stft: stft.handle.raw))
  }
}

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

extension NativePitch {
  /// Returns the frames of a whole signal.
  package static func contour(
    of samples: Span<Float>, _ configuration: NativePitchConfiguration, decoding: NativeDecoding
  ) throws(NativeError) -> [NativePitchFrame] {
    var frames: [RustlePitchFrame] = []
    for _ in 0..<2 {
      // The first call, without room, returns the number of frames.
      var room = frames.mutableSpan
      let count = try NativeCalls.pitchContour(
        configuration: configuration, decoding: decoding, samples: samples, frames: &room)
      if frames.isEmpty { frames = [RustlePitchFrame](repeating: RustlePitchFrame(), count: count) }
    }
    return frames.map(NativePitchFrame.init)
  }
}

extension NativeVoiceConfiguration {
  /// - Parameters:
  ///   - hop: the hop size in samples, above 0; nil: the default.
  ///   - formants: the formant analysis; nil: none.
  package init(
    sampleRate: Double, lowest: Double, highest: Double, hop: Int?, formants: NativeFormantConfiguration?,
    harmonicity: Bool, centroid: Bool
  ) {
    let measures =
      (formants == nil ? 0 : RUSTLE_VOICE_FORMANTS) | (harmonicity ? RUSTLE_VOICE_HARMONICITY : 0)
      | (centroid ? RUSTLE_VOICE_CENTROID : 0)
    self.init(
      sampleRate: sampleRate, lowest: lowest, highest: highest, hop: hop ?? 0, measures: Int(measures),
      formants: formants ?? NativeFormantConfiguration(ceiling: 0, length: 0, order: 0, method: .weighted))
  }
}

extension NativeVoice {
  /// Returns the summary of all frames since the beginning of the signal.
  package func summary() throws(NativeError) -> NativeVoiceSummary { try NativeCalls.voiceSummary(handle.raw) }
}
