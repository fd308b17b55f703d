internal import CRustle

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

/// A native voice analyzer: the one owner of its handle.
package struct NativeVoice: ~Copyable, Sendable {
  private let handle: NativeHandle
  private(set) var room = RecordRoom(of: RustleVoiceFrame())
  /// The length of the longest analysis frame in samples.
  package let window: Int
  /// The hop size in samples.
  package let hop: Int

  /// Creates an analyzer at the beginning of a signal.
  package init(_ configuration: NativeVoiceConfiguration) throws(NativeError) {
    let handle = try NativeHandle(RUSTLE_NEW_VOICE, configuration)
    let description = try handle.description(RUSTLE_DESCRIBE_VOICE, RustleVoiceDescription())
    self.handle = handle
    window = Int(description.window)
    hop = Int(description.hop)
  }

  /// Processes the signal's next samples and passes each completed frame to `found`.
  package mutating func process(_ samples: Span<Float>, found: (NativeVoiceFrame) -> Void) throws(NativeError) {
    let voice = handle.raw
    try room.fill(from: samples, found: { found(NativeVoiceFrame($0)) }) { (samples, room) throws(NativeError) in
      try NativeCalls.voiceProcess(voice, samples: samples, frames: &room)
    }
  }

  /// Returns the summary of all frames since the beginning of the signal.
  package func summary() throws(NativeError) -> NativeVoiceSummary { try NativeCalls.voiceSummary(handle.raw) }

  /// Forgets the signal; the next sample is the first of another.
  package mutating func reset() {
    // The only refusal is a concurrent call, which the one owner does not make.
    do { try handle.reset() } catch { assertionFailure(error.message) }
  }
}
