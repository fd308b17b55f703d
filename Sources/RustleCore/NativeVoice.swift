internal import CRustle

extension NativeVoiceConfiguration {
  /// - Parameters:
  ///   - hop: above 0; nil: chosen.
  ///   - formants: nil: none.
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
  /// The samples of the longest window.
  package let window: Int
  /// The samples from frame to frame.
  package let hop: Int

  /// An analyzer at the beginning of a signal.
  package init(_ configuration: NativeVoiceConfiguration) throws(NativeError) {
    let handle = try NativeHandle(RUSTLE_NEW_VOICE, configuration)
    let description = try handle.description(RUSTLE_DESCRIBE_VOICE, RustleVoiceDescription())
    self.handle = handle
    window = Int(description.window)
    hop = Int(description.hop)
  }

  /// Takes in the signal's next samples and hands each frame that they complete to `found`.
  package mutating func process(_ samples: Span<Float>, found: (NativeVoiceFrame) -> Void) throws(NativeError) {
    let voice = handle.raw
    try room.fill(from: samples, found: { found(NativeVoiceFrame($0)) }) { (samples, room) throws(NativeError) in
      try NativeCalls.voiceProcess(voice, samples: samples, frames: &room)
    }
  }

  /// All frames since the beginning of the signal.
  package func summary() throws(NativeError) -> NativeVoiceSummary { try NativeCalls.voiceSummary(handle.raw) }

  /// Forgets the signal; the next sample is the first of another.
  package mutating func reset() {
    // Its one owner calls nothing beside it, which would be the one reason to refuse it.
    do { try handle.reset() } catch { assertionFailure(error.message) }
  }
}
