public import RustleAudio

/// A loudness that a sound is to have.
public struct LoudnessTarget: Sendable, Hashable {
  /// The range of ``integrated``, in LUFS: from the absolute gate of ITU-R BS.1770-4 to full scale.
  public static let integratedRange = -70.0...0.0

  /// The integrated loudness in LUFS, within ``integratedRange``; -23 for broadcasts (EBU R 128).
  public var integrated: Double
  /// The highest true peak in dBTP, which comes before the loudness; -1 as in EBU R 128.
  public var truePeakLimit: Double

  /// - Parameters:
  ///   - integrated: see ``integrated``.
  ///   - truePeakLimit: see ``truePeakLimit``.
  public init(integrated: Double = -23, truePeakLimit: Double = -1) {
    self.integrated = integrated
    self.truePeakLimit = truePeakLimit
  }
}

/// The gain that brings a sound to a ``LoudnessTarget``.
public struct LoudnessGain: Sendable, Hashable {
  /// The integrated loudness before it, in LUFS; minus infinity is silence.
  public let integrated: Double
  /// The true peak before it, in dBTP.
  public let truePeak: Double
  /// The gain in dB, the same for the whole sound: its dynamics stay.
  public let gain: Double
  /// Whether the sound stays softer than the target, for its true peak or since the preamplification has a highest value.
  public let isLimited: Bool

  /// - Parameter room: the gains that the preamplification has left.
  init(_ loudness: SoundLevelReading.Loudness?, to target: LoudnessTarget, room: ClosedRange<Double>) {
    integrated = loudness?.integrated ?? -.infinity
    truePeak = loudness?.truePeak ?? -.infinity
    guard integrated.isFinite else {
      (gain, isLimited) = (0, false)
      return
    }
    let wanted = target.integrated - integrated
    let allowed = min(wanted, target.truePeakLimit - truePeak)
    gain = min(max(allowed, room.lowerBound), room.upperBound)
    isLimited = gain < wanted
  }
}

extension Equalizer {
  /// Measures the loudness of an input behind this equalizer, and changes the preamplification so that the input, read once more,
  /// has the loudness of `target`, or is as loud as its true peak allows.
  ///
  /// ```swift
  /// let input = AudioFileInput(path: "take1.flac")
  /// let equalizer = try Equalizer(format: try await input.buffers().format, settings: settings)
  /// let gain = try await equalizer.normalize(input, to: LoudnessTarget(integrated: -23))
  /// try await equalizer.write(input, to: "take1-r128.wav")
  /// if gain.isLimited { print("softer than -23 LUFS: its peaks would exceed -1 dBTP") }
  /// ```
  ///
  /// Silence, and what is shorter than 0.4 s, has no loudness, and keeps its gain.
  ///
  /// - Parameters:
  ///   - input: sound of the equalizer's format that can be read again.
  ///   - target: the loudness and the limit of the true peak.
  /// - Returns: the gain that was added to the preamplification, and the measures behind it.
  /// - Throws: `AudioError` for a target out of range, for a bypass, or for sound of another format, the error of the input, and
  ///   `CancellationError`; the settings are unchanged then.
  @discardableResult
  public nonisolated func normalize(_ input: some AudioInput, to target: LoudnessTarget) async throws -> LoudnessGain {
    let range = LoudnessTarget.integratedRange
    guard range.contains(target.integrated), target.truePeakLimit.isFinite else {
      throw AudioError.validation(
        "target", expected: "\(range.lowerBound) to \(range.upperBound) LUFS and a finite true peak",
        got: "\(target.integrated) LUFS, \(target.truePeakLimit) dBTP")
    }
    guard await !isBypassed else {
      throw AudioError.validation(
        "normalize", expected: "an equalizer in force", got: "one that is bypassed", advice: "End the bypass first.")
    }
    let meter = try SoundLevelMeter(format: format)
    for try await buffer in try await input.buffers() {
      try Task.checkCancellation()
      try await meter.process(process(buffer))
    }
    try Task.checkCancellation()
    var settings = await settings
    let preamps = EqualizerSettings.preampRange
    let gain = LoudnessGain(
      try await meter.reading.loudness, to: target,
      room: preamps.lowerBound - settings.preamp...preamps.upperBound - settings.preamp)
    settings.preamp += gain.gain
    try await set(settings)
    try reset()
    return gain
  }
}
