internal import CRustle

/// How formants are looked for, by the native side's numbers.
package struct NativeFormantConfiguration: Sendable {
  /// The methods, in the order of the header.
  package enum Method: UInt32, Sendable {
    case weighted
    case burg
  }

  package let ceiling: Double
  package let length: Double
  /// nil: chosen.
  package let order: Int?
  package let method: Method

  /// - Parameter order: above 0, or nil.
  package init(ceiling: Double, length: Double, order: Int?, method: Method) {
    self.ceiling = ceiling
    self.length = length
    self.order = order
    self.method = method
  }

  var record: RustleFormantConfiguration {
    RustleFormantConfiguration(
      ceiling: ceiling, length: length, order: order.map { UInt32(clamping: $0) } ?? 0, method: method.rawValue)
  }
}

/// What a native voice analyzer measures.
package struct NativeVoiceConfiguration: Sendable {
  package let sampleRate, lowest, highest: Double
  /// In samples; nil: chosen.
  package let hop: Int?
  /// nil: none.
  package let formants: NativeFormantConfiguration?
  package let harmonicity, centroid: Bool

  /// - Parameter hop: above 0, or nil.
  package init(
    sampleRate: Double, lowest: Double, highest: Double, hop: Int?, formants: NativeFormantConfiguration?,
    harmonicity: Bool, centroid: Bool
  ) {
    self.sampleRate = sampleRate
    self.lowest = lowest
    self.highest = highest
    self.hop = hop
    self.formants = formants
    self.harmonicity = harmonicity
    self.centroid = centroid
  }

  var record: RustleVoiceConfiguration {
    let measures =
      (formants == nil ? 0 : RUSTLE_VOICE_FORMANTS) | (harmonicity ? RUSTLE_VOICE_HARMONICITY : 0)
      | (centroid ? RUSTLE_VOICE_CENTROID : 0)
    return RustleVoiceConfiguration(
      sample_rate: sampleRate, lowest: lowest, highest: highest, hop: hop.map { UInt32(clamping: $0) } ?? 0,
      measures: UInt32(measures), formants: formants?.record ?? RustleFormantConfiguration())
  }
}

/// The formants of a frame or of a signal; see `RustleFormants`.
package struct NativeFormants: Sendable {
  package let count: Int
  package let confidence: Double
  private let record: RustleFormants

  init(_ record: RustleFormants) {
    self.record = record
    (count, confidence) = (min(Int(record.count), Int(RUSTLE_FORMANT_COUNT)), record.confidence)
  }

  /// In Hz, in rising order: one of `count`.
  package subscript(index: Int) -> (frequency: Double, bandwidth: Double) {
    let (f, b) = (record.frequencies, record.bandwidths)
    return switch index {
    case 0: (f.0, b.0)
    case 1: (f.1, b.1)
    case 2: (f.2, b.2)
    case 3: (f.3, b.3)
    default: (f.4, b.4)
    }
  }
}

/// A voice at one time; see `RustleVoiceFrame`.
package struct NativeVoiceFrame: Sendable {
  package let sample: UInt64
  /// In Hz; 0: none.
  package let pitch: Double
  package let confidence, level: Double
  /// Not a number: not measured.
  package let hnr: Double
  package let centroid: Double
  package let formants: NativeFormants
  package let isVoiced: Bool

  init(_ record: RustleVoiceFrame) {
    sample = record.sample
    pitch = record.pitch
    confidence = record.confidence
    level = record.level
    hnr = record.hnr
    centroid = record.centroid
    formants = NativeFormants(record.formants)
    isVoiced = record.is_voiced != 0
  }
}

/// The steadiness of periods; see `RustlePerturbation`.
package struct NativePerturbation: Sendable {
  package let periods: UInt64
  package let meanPeriod, jitter, jitterRAP, jitterPPQ5, shimmer, shimmerDecibels, shimmerAPQ3, shimmerAPQ5: Double

  init(_ record: RustlePerturbation) {
    periods = record.periods
    meanPeriod = record.mean_period
    jitter = record.jitter
    jitterRAP = record.jitter_rap
    jitterPPQ5 = record.jitter_ppq5
    shimmer = record.shimmer
    shimmerDecibels = record.shimmer_decibels
    shimmerAPQ3 = record.shimmer_apq3
    shimmerAPQ5 = record.shimmer_apq5
  }
}

/// All frames in sum; see `RustleVoiceSummary`.
package struct NativeVoiceSummary: Sendable {
  package let frames, voiced: UInt64
  package let medianPitch, meanPitch, pitchDeviation, meanConfidence, meanHNR: Double
  package let perturbation: NativePerturbation

  init(_ record: RustleVoiceSummary) {
    frames = record.frames
    voiced = record.voiced
    medianPitch = record.median_pitch
    meanPitch = record.mean_pitch
    pitchDeviation = record.pitch_deviation
    meanConfidence = record.mean_confidence
    meanHNR = record.mean_hnr
    perturbation = NativePerturbation(record.perturbation)
  }
}

/// A native voice analyzer: the one owner of its handle.
package struct NativeVoice: ~Copyable, Sendable {
  private let handle: NativeHandle
  private(set) var room = RecordRoom(of: RustleVoiceFrame())
  /// The samples of the longest window.
  package let window: Int
  /// The samples from frame to frame.
  package let hop: Int

  /// An analyzer at the beginning of a signal.
  package init(_ configuration: NativeVoiceConfiguration) throws(NativeError) {
    try NativeLibrary.prepare()
    var record = configuration.record
    var raw: UInt64 = 0
    try unsafe NativeError.check { unsafe rustle_voice_new(&record, &raw, $0) }
    let handle = NativeHandle(raw) { raw in _ = rustle_voice_free(raw, nil) }
    var description = RustleVoiceDescription()
    try unsafe NativeError.check { unsafe rustle_voice_describe(raw, &description, $0) }
    self.handle = handle
    window = Int(description.window)
    hop = Int(description.hop)
  }

  /// Takes in the signal's next samples and hands each frame that they complete to `found`.
  package mutating func process(_ samples: Span<Float>, found: (NativeVoiceFrame) -> Void) throws(NativeError) {
    let voice = handle.raw
    try room.fill(from: samples, found: { found(NativeVoiceFrame($0)) }) { (samples, room) throws(NativeError) in
      var (taken, written) = (0, 0)
      try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
        try unsafe room.withUnsafeMutableBufferPointer { frames throws(NativeError) in
          try unsafe NativeError.check {
            unsafe rustle_voice_process(
              voice, samples.baseAddress, samples.count, frames.baseAddress, frames.count, &taken, &written, $0)
          }
        }
      }
      return (taken, written)
    }
  }

  /// All frames since the beginning of the signal.
  package func summary() throws(NativeError) -> NativeVoiceSummary {
    var record = RustleVoiceSummary()
    try unsafe NativeError.check { unsafe rustle_voice_summary(handle.raw, &record, $0) }
    return NativeVoiceSummary(record)
  }

  /// Forgets the signal; the next sample is the first of another.
  package mutating func reset() {
    // Its one owner calls nothing beside it, which would be the one reason to refuse it.
    let status = rustle_voice_reset(handle.raw, nil)
    assert(status == RUSTLE_OK)
  }
}
