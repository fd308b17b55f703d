internal import RustleCore

/// Returns the formants of a signal with steady formants, such as a vowel: medians over frames 10 ms apart.
///
/// ```swift
/// let formants = try extractFormants(in: vowel.span, sampleRate: 44_100)
/// print(formants.f1 ?? 0, formants.f2 ?? 0, formants.f3 ?? 0, formants.confidence)
/// ```
///
/// - Parameters:
///   - samples: one channel, any number.
///   - sampleRate: in Hz, 8000 to 192,000.
///   - configuration: the parameters of the analysis.
/// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
public func extractFormants(
  in samples: Span<Float>, sampleRate: Double, configuration: FormantConfiguration = FormantConfiguration()
) throws(AudioError) -> Formants {
  let described = try configuration.native()
  do {
    return Formants(try NativeCalls.voiceFormants(sampleRate: sampleRate, configuration: described, samples: samples))
  } catch {
    throw AudioError(error)
  }
}

/// The shape of a spectrum.
public struct SpectrumFeatures: Sendable, Hashable {
  /// The mean frequency weighted by power, in Hz; 0 of silence.
  public var centroid: Double
  /// The frequency below which 95 % of the energy lie, in Hz; 0 of silence.
  public var rolloff: Double
  /// The slope of the straight line through one-third-octave band levels, from 100 Hz to 8 kHz or 0.45 of the sample rate,
  /// in dB per octave: 0 of white noise, -3 of pink noise.
  public var tilt: Double
}

/// Returns the shape of a signal's spectrum: of the mean power of frames of at least 40 ms that overlap by half.
///
/// - Parameters:
///   - samples: one channel, any number.
///   - sampleRate: in Hz, 8000 to 192,000.
/// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
public func analyzeSpectrum(in samples: Span<Float>, sampleRate: Double) throws(AudioError) -> SpectrumFeatures {
  do {
    let found = try NativeCalls.voiceSpectrum(sampleRate: sampleRate, samples: samples)
    return SpectrumFeatures(centroid: found.centroid, rolloff: found.rolloff, tilt: found.tilt)
  } catch {
    throw AudioError(error)
  }
}

/// The periodicity of a signal.
public struct HarmonicsToNoise: Sendable, Hashable {
  /// The power of the periodic part over that of the rest in dB, at most 70; minus infinity where nothing is periodic.
  public var hnr: Double
  /// The reciprocal of the period, in Hz; nil where nothing is periodic.
  public var f0: Double?
  /// Whether at least 0.45 of the energy is periodic.
  public var isVoiced: Bool
}

/// Returns the harmonics-to-noise ratio of a signal, by the autocorrelation (P. Boersma, IFA Proceedings 17, 1993).
///
/// - Parameters:
///   - samples: one channel, any number.
///   - sampleRate: in Hz, 8000 to 192,000.
///   - range: the range of pitch in Hz, within 40 to 2000 and below a quarter of the sample rate.
/// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
public func calculateHNR(
  in samples: Span<Float>, sampleRate: Double, range: ClosedRange<Double> = 75...500
) throws(AudioError) -> HarmonicsToNoise {
  do {
    let found = try NativeCalls.voiceHarmonicity(
      sampleRate: sampleRate, lowest: range.lowerBound, highest: range.upperBound, samples: samples)
    return HarmonicsToNoise(
      hnr: found.hnr, f0: found.frequency > 0 ? found.frequency : nil, isVoiced: found.isVoiced)
  } catch {
    throw AudioError(error)
  }
}

/// The levels of the first two harmonics of a voice, and their difference H1-H2.
public struct H1MinusH2: Sendable, Hashable {
  /// The first harmonic's level minus the second's, in dB: about 0 or less of a pressed voice, 5 and more of a breathy one; 0
  /// where no fundamental was found.
  public var h1MinusH2: Double
  /// The first harmonic's level in dB relative to a full-scale sine; minus infinity where no fundamental was found.
  public var h1AmplitudeDb: Double
  /// The second harmonic's level in dB relative to a full-scale sine; minus infinity where no fundamental was found.
  public var h2AmplitudeDb: Double
  /// The fundamental frequency in Hz, the mean of the found ones; nil: none was found.
  public var f0: Double?
}

/// Returns the level difference of a signal's first two harmonics, H1-H2: of the mean powers over frames of 8 periods. The levels
/// are not corrected for formants; one near a harmonic raises it.
///
/// - Parameters:
///   - samples: one channel, any number.
///   - sampleRate: in Hz, 8000 to 192,000.
///   - f0: the fundamental in Hz, above 0 and at most a quarter of the sample rate; nil: found in each frame.
///   - range: the range of the fundamental in Hz, within 40 to 2000 and below a quarter of the sample rate.
/// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
public func calculateH1H2(
  in samples: Span<Float>, sampleRate: Double, f0: Double? = nil, range: ClosedRange<Double> = 60...1_100
) throws(AudioError) -> H1MinusH2 {
  if let f0, f0 == 0 {
    // 0 means "find it" to the native side.
    throw .validation("fundamental frequency", expected: "more than 0 Hz", got: "0 Hz")
  }
  do {
    let found = try NativeCalls.voiceHarmonics(
      sampleRate: sampleRate, fundamental: f0 ?? 0, lowest: range.lowerBound, highest: range.upperBound,
      samples: samples)
    return H1MinusH2(
      h1MinusH2: found.difference, h1AmplitudeDb: found.first, h2AmplitudeDb: found.second,
      f0: found.frequency > 0 ? found.frequency : nil)
  } catch {
    throw AudioError(error)
  }
}

/// Returns the jitter and the shimmer of a whole signal, as Praat measures them: how much the duration and the amplitude of the
/// periods of a voice vary from one to the next.
///
/// - Parameters:
///   - samples: one channel, any number.
///   - sampleRate: in Hz, 8000 to 192,000.
///   - range: the range of pitch in Hz, within 40 to 2000 and below a quarter of the sample rate.
/// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
public func measureVoicePerturbation(
  in samples: Span<Float>, sampleRate: Double, range: ClosedRange<Double> = 60...1_100
) throws(AudioError) -> VoicePerturbation {
  do {
    return VoicePerturbation(
      try NativeCalls.voicePerturbation(
        sampleRate: sampleRate, lowest: range.lowerBound, highest: range.upperBound, samples: samples))
  } catch {
    throw AudioError(error)
  }
}
