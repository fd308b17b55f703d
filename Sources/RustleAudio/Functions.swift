internal import RustleCore

// Free functions over a whole signal. The types of this module measure streams and keep their state.

/// The result of ``computeFFT(_:options:)``.
public struct FFTResult: Sendable, Hashable {
  /// The magnitudes of the first N/2 bins, not normalized: a sine of amplitude 1 reads about half the window function's sum.
  public let magnitudes: [Float]
  /// The frequency of each bin, in Hz: bin k is at k times the sample rate over N.
  public let frequencies: [Double]
}

/// Computes the magnitudes of a signal's spectrum, off the caller's actor at user-initiated priority.
///
/// A signal shorter than N is padded with zeros at its end, a longer one cropped to its first N samples, as in numpy's
/// `rfft(signal, N)`; the window function spans the N samples. The tables of each size and window function are made once and kept
/// for the life of the process, 1 MB at most. For many frames ``FFT`` saves the change of threads.
///
/// - Parameters:
///   - buffer: at least one sample. A sample that is NaN or infinite makes every magnitude NaN or infinite.
///   - options: the size N, the window function and the sample rate.
/// - Throws: ``FFTError`` with ``FFTError/Code/validation``, before anything is computed, for an argument that is out of its
///   range; with ``FFTError/Code/fft`` when the native side fails.
public nonisolated(nonsending) func computeFFT(
  _ buffer: [Float], options: FFTOptions = FFTOptions()
) async throws(FFTError) -> FFTResult {
  let size = try options.size(forCount: buffer.count)
  let window = options.window.native
  let magnitudes = await offCaller { () -> Result<[Float], FFTError> in
    do throws(NativeError) {
      guard let magnitudes = try NativeSpectrum.compute(of: buffer.span, size: size, window: window) else {
        // An instruction set that the environment names and the machine lacks is refused without a text.
        do throws(FFTError) { _ = try FFT.InstructionSet.preferred() } catch { return .failure(error) }
        return .failure(.native("the native transform returned no result", advice: "Report it with this text."))
      }
      return .success(magnitudes)
    } catch {
      return .failure(FFTError(error))
    }
  }
  let width = options.sampleRate / Double(size)
  return FFTResult(magnitudes: try magnitudes.get(), frequencies: (0..<size / 2).map { Double($0) * width })
}

/// Computes the magnitudes of a signal's spectrum, with a dictionary of options and one of results.
///
/// Any actor may call it: the options are read on the caller's actor, and only `Sendable` values leave it.
///
/// ```swift
/// let result = try await computeFFT(buffer: samples, options: ["fftSize": 2048, "sampleRate": 48_000.0])
/// let magnitudes = result["magnitude"] as? [Float]
/// ```
///
/// - Parameters:
///   - buffer: at least one sample; see ``computeFFT(_:options:)``.
///   - options: any of
///     - `fftSize`: the number of samples N, a power of two from 256 to 8,192; by default the buffer's length;
///     - `windowType`: `none`, `rectangular`, `hann`, `hanning`, `hamming` or `blackman`; by default `hanning`;
///     - `sampleRate`: in Hz, finite and above 0; by default 44,100.
/// - Returns: `magnitude`, a `[Float]` of N/2 magnitudes, and `frequencies`, a `[Double]` of their frequencies in Hz.
/// - Throws: ``FFTError``, which bridges to an `NSError` of the domain `rustle.fft`: code 1, `VALIDATION_ERROR`, for an
///   option of another type, an unknown option, or an argument out of its range; code 2, `FFT_ERROR`, when the native side
///   fails.
public nonisolated(nonsending) func computeFFT(
  buffer: [Float], options: [String: Any] = [:]
) async throws(FFTError) -> [String: Any] {
  let result = try await computeFFT(buffer, options: FFTOptions(options))
  return ["magnitude": result.magnitudes, "frequencies": result.frequencies]
}

/// The pitch of a short piece of sound.
public struct DetectedPitch: Sendable, Hashable {
  /// The pitch in Hz; nil: the sound is not voiced.
  public var frequency: Double?
  /// The mean confidence, 0 to 1: of the voiced frames of a voiced sound, of all frames otherwise.
  public var confidence: Double
  /// Whether at least half of the frames are voiced.
  public var isVoiced: Bool
  /// The mean of all frames' confidences: the probability that a moment of the sound has a pitch, and that the pitch is right.
  public var voicedProbability: Double
}

/// Returns the pitch of a sound with a steady pitch: the median over the voiced frames, if at least half are voiced.
///
/// ```swift
/// let pitch = try detectPitch(in: samples.span, sampleRate: 44_100)
/// print(pitch.frequency ?? 0, pitch.confidence)
/// ```
///
/// A frame holds 2.25 periods of the range's lower end, 2048 samples at 44,100 Hz in the default range. A shorter sound is
/// measured with a shorter frame, which raises the lower end; one of fewer than 256 samples has no pitch.
///
/// ``PitchTracker`` reports the pitch of each frame, ``Tuner`` that of live sound with its note, ``VoiceAnalyzer`` that of a voice
/// with other measures.
///
/// - Parameters:
///   - samples: one channel, any number.
///   - sampleRate: in Hz, 1000 to 768,000.
///   - range: the range of pitch in Hz, above 0. The default is that of speech; 60 to 1100 Hz includes basses, children and
///     sopranos.
/// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
public func detectPitch(
  in samples: Span<Float>, sampleRate: Double, range: ClosedRange<Double> = 80...400
) throws(AudioError) -> DetectedPitch {
  var configuration = PitchConfiguration(sampleRate: sampleRate, range: range)
  // Invalid arguments are refused also for a sound that is too short for any frame.
  configuration.frameLength = try PitchTracker(configuration).frameLength
  var length = configuration.frameLength ?? 0
  while length > samples.count { length /= 2 }
  let none = DetectedPitch(frequency: nil, confidence: 0, isVoiced: false, voicedProbability: 0)
  let raised = 2.25 * sampleRate / Double(max(length, 1))
  guard length >= 256, raised < min(range.upperBound, 0.45 * sampleRate) else { return none }
  configuration.frameLength = length
  configuration.hop = length / 4
  let frames = try PitchTracker.contour(of: samples, configuration: configuration)
  let voiced = frames.filter(\.isVoiced)
  let all = frames.reduce(0) { $0 + $1.confidence } / Double(max(frames.count, 1))
  let found = voiced.compactMap(\.frequency)
  guard 2 * voiced.count >= frames.count, let median = found.median else {
    return DetectedPitch(frequency: nil, confidence: all, isVoiced: false, voicedProbability: all)
  }
  let confidence = voiced.reduce(0) { $0 + $1.confidence } / Double(voiced.count)
  return DetectedPitch(frequency: median, confidence: confidence, isVoiced: true, voicedProbability: all)
}

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

/// Runs `work` on the concurrent thread pool at user-initiated priority, whatever actor and priority the caller has.
///
/// The caller's cancellation does not reach it: the work takes microseconds.
func offCaller<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await Task.detached(priority: .userInitiated, operation: work).value
}
