import RustleAudio

/// What the voice command found, to be written in one of its forms.
struct VoiceResult: Sendable {
  /// What it is of.
  let subject: MeterSubject
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
