import RustleAudio

/// What the voice command found, to be written in one of its forms.
struct VoiceResult: Sendable {
  /// What it is of.
  let subject: SoundSubject
  /// Seconds of sound that were read.
  let seconds: Double
  /// The pitches that were looked for, in Hz.
  let range: ClosedRange<Double>
  /// Where formants were looked for, and how.
  let formantSearch: FormantConfiguration
  /// The frames in sum.
  let summary: VoiceSummary
  /// The pitch of a sound that is shorter than a frame, if it has one.
  let wholePitch: DetectedPitch?
  /// The medians of the voiced frames' formants; of a sound that is shorter than a frame those of the whole.
  let formants: [Formant]
  /// The measures of the whole sound.
  let measures: Measures

  /// What is measured of the whole sound at once.
  struct Measures: Sendable {
    let ratio: HarmonicsToNoise
    let harmonics: HarmonicDifference
    let perturbation: VoicePerturbation
    let spectrum: SpectrumFeatures
  }

  /// Measures a whole sound of which the frames have been analysed. A sound that is shorter than a frame is measured as a whole, as
  /// the ratio and the periods are.
  init(
    _ signal: [Float], subject: SoundSubject, range: ClosedRange<Double>, formantSearch: FormantConfiguration,
    frames: [VoiceFrame], summary: VoiceSummary
  ) throws {
    let rate = subject.format.sampleRate
    (self.subject, self.range, self.formantSearch, self.summary) = (subject, range, formantSearch, summary)
    seconds = Double(signal.count) / rate
    measures = Measures(
      ratio: try calculateHNR(in: signal.span, sampleRate: rate, range: range),
      harmonics: try calculateH1H2(in: signal.span, sampleRate: rate, range: range),
      perturbation: try measureVoicePerturbation(in: signal.span, sampleRate: rate, range: range),
      spectrum: try analyzeSpectrum(in: signal.span, sampleRate: rate))
    guard summary.frames == 0 else {
      (wholePitch, formants) = (nil, Self.medians(of: frames))
      return
    }
    let pitch = try detectPitch(in: signal.span, sampleRate: rate, range: range)
    wholePitch = pitch
    formants =
      pitch.isVoiced ? try extractFormants(in: signal.span, sampleRate: rate, configuration: formantSearch).found : []
  }

  /// The part of the frames that are voiced, 0 to 1.
  var voicedShare: Double {
    summary.frames == 0 ? 0 : Double(summary.voicedFrames) / Double(summary.frames)
  }

  /// The median pitch of the voiced frames, or the pitch of a sound that is shorter than a frame, in Hz.
  var medianPitch: Double? { summary.medianPitch ?? wholePitch?.frequency }

  /// How sure the pitch is, 0 to 1; nil: there is none.
  var confidence: Double? {
    if summary.voicedFrames > 0 { return summary.meanConfidence }
    return wholePitch.flatMap { $0.isVoiced ? $0.confidence : nil }
  }

  /// The median of each formant's frequency and bandwidth over the voiced frames. It ends at the first formant that fewer than
  /// half of them have.
  static func medians(of frames: [VoiceFrame]) -> [Formant] {
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
