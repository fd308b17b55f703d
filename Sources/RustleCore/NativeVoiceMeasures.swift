internal import CRustle

/// One measure of a whole signal per call.
package enum NativeVoiceMeasures {
  /// The shape of a spectrum; see `RustleSpectrumFeatures`.
  package typealias Spectrum = (centroid: Double, rolloff: Double, tilt: Double)
  /// How much is periodic; see `RustleHarmonicity`. The frequency is 0 where nothing is.
  package typealias Harmonicity = (hnr: Double, frequency: Double, isVoiced: Bool)
  /// The levels of the first two harmonics; see `RustleHarmonicDifference`. The frequency is 0 where there is none.
  package typealias Harmonics = (difference: Double, first: Double, second: Double, frequency: Double)

  package static func formants(
    of samples: Span<Float>, sampleRate: Double, _ configuration: NativeFormantConfiguration
  ) throws(NativeError) -> NativeFormants {
    try NativeLibrary.prepare()
    var record = RustleFormants()
    var asked = configuration.record
    try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_voice_formants(sampleRate, &asked, samples.baseAddress, samples.count, &record, $0)
      }
    }
    return NativeFormants(record)
  }

  package static func spectrum(of samples: Span<Float>, sampleRate: Double) throws(NativeError) -> Spectrum {
    try NativeLibrary.prepare()
    var record = RustleSpectrumFeatures()
    try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_voice_spectrum(sampleRate, samples.baseAddress, samples.count, &record, $0)
      }
    }
    return (record.centroid, record.rolloff, record.tilt)
  }

  package static func harmonicity(
    of samples: Span<Float>, sampleRate: Double, lowest: Double, highest: Double
  ) throws(NativeError) -> Harmonicity {
    try NativeLibrary.prepare()
    var record = RustleHarmonicity()
    try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_voice_harmonicity(
          sampleRate, lowest, highest, samples.baseAddress, samples.count, &record, $0)
      }
    }
    return (record.hnr, record.frequency, record.is_voiced != 0)
  }

  /// - Parameter fundamental: in Hz, not 0; nil: found.
  package static func harmonics(
    of samples: Span<Float>, sampleRate: Double, fundamental: Double?, lowest: Double, highest: Double
  ) throws(NativeError) -> Harmonics {
    try NativeLibrary.prepare()
    var record = RustleHarmonicDifference()
    try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_voice_harmonics(
          sampleRate, fundamental ?? 0, lowest, highest, samples.baseAddress, samples.count, &record, $0)
      }
    }
    return (record.difference, record.first, record.second, record.frequency)
  }

  package static func perturbation(
    of samples: Span<Float>, sampleRate: Double, lowest: Double, highest: Double
  ) throws(NativeError) -> NativePerturbation {
    try NativeLibrary.prepare()
    var record = RustlePerturbation()
    try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_voice_perturbation(
          sampleRate, lowest, highest, samples.baseAddress, samples.count, &record, $0)
      }
    }
    return NativePerturbation(record)
  }
}
