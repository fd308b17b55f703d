/// The report on a whole recording of a voice: pitch, noise, steadiness of the periods, and formants.
///
/// ```swift
/// let (frames, summary) = try VoiceProcessor.analyze(samples.span, sampleRate: 48_000)
/// let report = try VoiceReport(samples, sampleRate: 48_000, frames: frames, summary: summary)
/// print(report.medianPitch ?? 0, report.harmonicsToNoise ?? 0)
/// ```
public struct VoiceReport: Sendable {
  /// The length of the sound, in seconds.
  public let seconds: Double
  /// The range of pitch, in Hz.
  public let range: ClosedRange<Double>
  /// The parameters of the formant analysis.
  public let formantSearch: FormantConfiguration
  /// The summary of the frames.
  public let summary: VoiceSummary
  /// The pitch of a sound that is shorter than a frame, if it has one.
  public let pitchOfWhole: DetectedPitch?
  /// The medians of the voiced frames' formants; of a sound shorter than a frame, the formants of the whole.
  public let formants: [Formant]
  /// The measures of the whole sound.
  public let measures: Measures

  /// Measures of a whole sound at once.
  public struct Measures: Sendable {
    /// The harmonics-to-noise ratio; too low for a sound shorter than its window: ``VoiceReport/harmonicsToNoise``.
    public let ratio: HarmonicsToNoise
    /// The levels of the first two harmonics.
    public let harmonics: H1MinusH2
    /// The steadiness of the periods.
    public let perturbation: VoicePerturbation
    /// The shape of the spectrum.
    public let spectrum: SpectrumFeatures
  }

  /// Measures a whole sound whose frames have been analysed. A sound shorter than a frame is measured as a whole, as the ratio
  /// and the periods are. The time is proportional to the length.
  ///
  /// - Parameters:
  ///   - signal: the sound, one channel; full scale is 1.
  ///   - sampleRate: in Hz, as for `VoiceProcessor`.
  ///   - range: the range of pitch, in Hz.
  ///   - formantSearch: the parameters of the formant analysis.
  ///   - frames: the frames of a ``VoiceProcessor`` with the same range and parameters, in their order.
  ///   - summary: the summary of the same processor.
  /// - Throws: ``AudioError`` for a sample rate or a range that the measures refuse.
  public init(
    _ signal: [Float], sampleRate: Double, range: ClosedRange<Double> = 60...1_100,
    formantSearch: FormantConfiguration = FormantConfiguration(), frames: [VoiceFrame], summary: VoiceSummary
  ) throws {
    (self.range, self.formantSearch, self.summary) = (range, formantSearch, summary)
    seconds = Double(signal.count) / sampleRate
    measures = Measures(
      ratio: try calculateHNR(in: signal.span, sampleRate: sampleRate, range: range),
      harmonics: try calculateH1H2(in: signal.span, sampleRate: sampleRate, range: range),
      perturbation: try measureVoicePerturbation(in: signal.span, sampleRate: sampleRate, range: range),
      spectrum: try analyzeSpectrum(in: signal.span, sampleRate: sampleRate))
    guard summary.frames == 0 else {
      (pitchOfWhole, formants) = (nil, Self.medians(of: frames))
      return
    }
    let pitch = try detectPitch(in: signal.span, sampleRate: sampleRate, range: range)
    pitchOfWhole = pitch
    formants =
      pitch.isVoiced
      ? Array(try extractFormants(in: signal.span, sampleRate: sampleRate, configuration: formantSearch)) : []
  }

  /// The share of voiced frames, 0 to 1; nil for a sound that is shorter than a frame, whose pitch is ``pitchOfWhole``.
  public var voicedShare: Double? {
    summary.frames == 0 ? nil : Double(summary.voicedFrames) / Double(summary.frames)
  }

  /// The median pitch of the voiced frames, or the pitch of a sound that is shorter than a frame, in Hz.
  public var medianPitch: Double? { summary.medianPitch ?? pitchOfWhole?.frequency }

  /// The confidence of the pitch, 0 to 1; nil: no pitch.
  public var confidence: Double? {
    if summary.voicedFrames > 0 { return summary.meanConfidence }
    return pitchOfWhole.flatMap { $0.isVoiced ? $0.confidence : nil }
  }

  /// The harmonics-to-noise ratio, in dB; nil: the sound is shorter than the window, 4.5 periods of the lowest pitch, in which it
  /// would be tens of decibels too low.
  public var harmonicsToNoise: Double? { seconds * range.lowerBound < 4.5 ? nil : measures.ratio.hnr }

  /// The formant of a number, counted from 1; nil: not found.
  public func formant(_ number: Int) -> Formant? { formants.indices.contains(number - 1) ? formants[number - 1] : nil }

  /// Returns the median of each formant's frequency and bandwidth over the voiced frames, up to the first formant that fewer than
  /// half of them have.
  public static func medians(of frames: [VoiceFrame]) -> [Formant] {
    let voiced = frames.filter(\.isVoiced)
    var medians: [Formant] = []
    for number in 1... {
      let found = voiced.compactMap { $0.formants.formant(number) }
      guard 2 * found.count >= voiced.count, let frequency = found.map(\.frequency).median,
        let bandwidth = found.map(\.bandwidth).median
      else { break }
      medians.append(Formant(frequency: frequency, bandwidth: bandwidth))
    }
    return medians
  }
}

// The measures that a sound may lack: nil where the free functions return 0.
extension VoiceReport.Measures {
  /// H1-H2 in dB; nil without a fundamental.
  public var h1MinusH2: Double? { harmonics.f0.map { _ in harmonics.h1MinusH2 } }

  /// The mean period in seconds; nil without a period.
  public var meanPeriod: Double? { measured(\.meanPeriod, from: 1) }
  /// The local jitter as a ratio; nil for fewer than 2 periods.
  public var jitter: Double? { measured(\.jitter, from: 2) }
  /// The relative average perturbation as a ratio; nil for fewer than 3 periods.
  public var jitterRAP: Double? { measured(\.jitterRAP, from: 3) }
  /// The five-point perturbation of the periods as a ratio; nil for fewer than 5 periods.
  public var jitterPPQ5: Double? { measured(\.jitterPPQ5, from: 5) }
  /// The local shimmer as a ratio; nil for fewer than 2 periods.
  public var shimmer: Double? { measured(\.shimmer, from: 2) }
  /// The local shimmer in dB; nil for fewer than 2 periods.
  public var shimmerDecibels: Double? { measured(\.shimmerDecibels, from: 2) }
  /// The three-point perturbation of the amplitudes as a ratio; nil for fewer than 3 periods.
  public var shimmerAPQ3: Double? { measured(\.shimmerAPQ3, from: 3) }
  /// The five-point perturbation of the amplitudes as a ratio; nil for fewer than 5 periods.
  public var shimmerAPQ5: Double? { measured(\.shimmerAPQ5, from: 5) }

  /// The mean frequency weighted by power, in Hz; nil for silence.
  public var centroid: Double? { spectrum.centroid > 0 ? spectrum.centroid : nil }
  /// The frequency below which 95 % of the energy lie, in Hz; nil for silence.
  public var rolloff: Double? { centroid.map { _ in spectrum.rolloff } }
  /// The slope of the band levels in dB per octave; nil for silence.
  public var tilt: Double? { centroid.map { _ in spectrum.tilt } }

  private func measured(_ path: KeyPath<VoicePerturbation, Double>, from periods: Int) -> Double? {
    perturbation.periods >= periods ? perturbation[keyPath: path] : nil
  }
}
