import RustleAudio
import RustleAudioFiles

/// Reads a sound to its end and measures the voice in it.
struct VoiceRun: ~Copyable {
  private let sound: SoundInput
  private let channel: Int?
  private var processor: VoiceProcessor
  /// Samples that room is made for before they are there: 93 minutes at 48,000 Hz, 1 GiB.
  private static let mostReserved = 1 << 28

  /// - Parameter channel: counted from 1; nil: the mean of all.
  init(sound: SoundInput, configuration: VoiceConfiguration, channel: Int?) throws {
    self.sound = sound
    self.channel = channel
    processor = try VoiceProcessor(sampleRate: sound.format.sampleRate, configuration: configuration)
  }

  /// The samples that the first frame needs.
  var window: Int { processor.window }

  /// What the whole sound shows. The one channel that is measured is held in memory, 4 bytes a sample: jitter, shimmer and the ratios
  /// are relative to its loudest part, which is known at its end only, and standard input is read once.
  ///
  /// - Parameter found: takes new frames as soon as they are there.
  mutating func result(
    showsProgress: Bool, found: ([VoiceFrame]) throws -> Void
  ) async throws -> VoiceResult {
    var progress = ProgressLine(total: sound.expectedFrames, isEnabled: showsProgress)
    defer { progress.end() }
    let selection: ChannelSelection = channel.map { .channel($0 - 1) } ?? .mix
    var (frames, fresh): ([VoiceFrame], [VoiceFrame]) = ([], [])
    var (block, signal): ([Float], [Float]) = ([], [])
    // An array that grows holds its samples twice at times. A header that promises more than it holds takes no more than this.
    signal.reserveCapacity(min(sound.expectedFrames ?? 0, Self.mostReserved))
    for try await buffer in sound.buffers() {
      selection.reduce(buffer.samples, channels: buffer.format.channels, into: &block)
      signal += block
      fresh.removeAll(keepingCapacity: true)
      try processor.process(block.span, into: &fresh)
      try found(fresh)
      frames += fresh
      progress.update(sound.tally.frames)
    }
    try sound.checkIsNotEmpty()
    let (rate, range) = (processor.sampleRate, processor.configuration.range)
    let measures = VoiceResult.Measures(
      ratio: try calculateHNR(in: signal.span, sampleRate: rate, range: range),
      harmonics: try calculateH1H2(in: signal.span, sampleRate: rate, range: range),
      perturbation: try measureVoicePerturbation(in: signal.span, sampleRate: rate, range: range),
      spectrum: try analyzeSpectrum(in: signal.span, sampleRate: rate))
    let subject = MeterSubject(
      name: sound.name, format: sound.format, encoding: sound.file.map { "\($0.container), \($0.codec)" },
      channel: channel)
    let search = processor.configuration.formants ?? FormantConfiguration()
    let summary = try processor.summary()
    // A sound that is shorter than a frame is measured as a whole, as the ratio and the periods are.
    let pitch = summary.frames == 0 ? try detectPitch(in: signal.span, sampleRate: rate, range: range) : nil
    let formants: [Formant]
    if let pitch {
      formants =
        pitch.isVoiced ? try extractFormants(in: signal.span, sampleRate: rate, configuration: search).found : []
    } else {
      formants = VoiceResult.medians(of: frames)
    }
    return VoiceResult(
      subject: subject, seconds: Double(signal.count) / rate, range: range, formantSearch: search, summary: summary,
      wholePitch: pitch, formants: formants, measures: measures)
  }
}
