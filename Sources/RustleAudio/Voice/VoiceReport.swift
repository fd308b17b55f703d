/// What a whole recording of a voice shows: its pitch in sum, how much of it is noise, how steady its periods are, its formants.
///
/// ```swift
/// let (frames, summary) = try VoiceProcessor.analyze(samples.span, sampleRate: 48_000)
/// let report = try VoiceReport(samples, sampleRate: 48_000, frames: frames, summary: summary)
/// print(report.medianPitch, report.measures.ratio.hnr)
/// ```
public struct VoiceReport: Sendable {
  /// The length of the sound, in seconds.
  public let seconds: Double
  /// The pitches that were looked for, in Hz.
  public let range: ClosedRange<Double>
  /// Where formants were looked for, and how.
  public let formantSearch: FormantConfiguration
  /// The frames in sum.
  public let summary: VoiceSummary
  /// The pitch of a sound that is shorter than a frame, if it has one.
  public let wholePitch: DetectedPitch?
  /// The medians of the voiced frames' formants; of a sound that is shorter than a frame those of the whole.
  public let formants: [Formant]
  /// The measures of the whole sound.
  public let measures: Measures

  /// What is measured of the whole sound at once.
  public struct Measures: Sendable {
    /// How much of it is periodic.
    public let ratio: HarmonicsToNoise
    /// The levels of the first two harmonics.
    public let harmonics: H1MinusH2
    /// How steady the periods are.
    public let perturbation: VoicePerturbation
    /// The shape of the spectrum.
    public let spectrum: SpectrumFeatures
  }

  /// Measures a whole sound of which the frames have been analysed. A sound that is shorter than a frame is measured as a whole,
  /// as the ratio and the periods are. The time is proportional to the length.
  ///
  /// - Parameters:
  ///   - signal: the sound, one channel, full scale being 1.
  ///   - sampleRate: in Hz, as `VoiceProcessor` takes it.
  ///   - range: the pitches that are looked for, in Hz.
  ///   - formantSearch: where formants are looked for, and how.
  ///   - frames: those of a ``VoiceProcessor`` with the same range and search, in their order.
  ///   - summary: that of the same processor.
  /// - Throws: ``AudioError`` for a sample rate or a range that the measures do not take.
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
      (wholePitch, formants) = (nil, Self.medians(of: frames))
      return
    }
    let pitch = try detectPitch(in: signal.span, sampleRate: sampleRate, range: range)
    wholePitch = pitch
    formants =
      pitch.isVoiced
      ? try extractFormants(in: signal.span, sampleRate: sampleRate, configuration: formantSearch).found : []
  }

  /// The part of the frames that are voiced, 0 to 1.
  public var voicedShare: Double {
    summary.frames == 0 ? 0 : Double(summary.voicedFrames) / Double(summary.frames)
  }

  /// The median pitch of the voiced frames, or the pitch of a sound that is shorter than a frame, in Hz.
  public var medianPitch: Double? { summary.medianPitch ?? wholePitch?.frequency }

  /// How sure the pitch is, 0 to 1; nil: there is none.
  public var confidence: Double? {
    if summary.voicedFrames > 0 { return summary.meanConfidence }
    return wholePitch.flatMap { $0.isVoiced ? $0.confidence : nil }
  }

  /// The median of each formant's frequency and bandwidth over the voiced frames. It ends at the first formant that fewer than
  /// half of them have.
  public static func medians(of frames: [VoiceFrame]) -> [Formant] {
    let voiced = frames.filter(\.isVoiced)
    var medians: [Formant] = []
    for number in 1... {
      let found = voiced.compactMap { $0.formants[number] }
      guard 2 * found.count >= voiced.count, let frequency = found.map(\.frequency).median,
        let bandwidth = found.map(\.bandwidth).median
      else { break }
      medians.append(Formant(frequency: frequency, bandwidth: bandwidth))
    }
    return medians
  }
}
