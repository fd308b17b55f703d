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

extension NativeVoice {
  /// Returns the summary of all frames since the beginning of the signal.
  package func summary() throws(NativeError) -> NativeVoiceSummary { try NativeCalls.voiceSummary(handle.raw) }
}
