/// The measures of a voice in sound that arrives in buffers: frames as they are measured, and a summary.
///
/// ```swift
/// let voice = try VoiceAnalyzer(format: capture.configuration.format)
/// for try await frame in try await voice.frames(of: capture) where frame.isVoiced {
///   print(frame.time, frame.pitch ?? 0, frame.formants.f1 ?? 0)
/// }
/// let summary = try await voice.summary
/// ```
///
/// Any task may read the summary while another one delivers buffers. It measures one recording at a time: a buffer out of order
/// begins a new measurement. Dropped frames count as silence in their place, and the next frame reports their number. Memory is
/// of a fixed size, however long the sound.
public actor VoiceAnalyzer {
  /// The rate and the channels of the sound.
  public nonisolated let format: AudioFormat
  /// The measured channel, or the mean of all.
  public nonisolated let channel: ChannelSelection
  /// The measures and their parameters.
  public nonisolated let configuration: VoiceConfiguration
  /// The samples of the longest analysis frame, which complete the first frame.
  public nonisolated let frameLength: Int
  /// The hop size in samples.
  public nonisolated let hop: Int

  private var processor: VoiceProcessor
  /// The frame of the recording that is expected next; nil before the first.
  private var next: Int64?
  /// The samples that the processor has taken, and the offset of the recording's numbers from its own.
  private var seen: Int64 = 0
  private var ahead: Int64 = 0
  /// The frames dropped since the last returned frame.
  private var droppedFrames: Int64 = 0
  /// Whether the channels of the sound so far cancel each other, so that their mean has no voice.
  public private(set) var cancellation = ChannelCancellation()
  /// The memory for the measured channel of a buffer.
  private(set) var mono: [Float] = []

  /// - Parameters:
  ///   - format: of 8000 to 192,000 Hz and any channels.
  ///   - channel: the measured channels.
  ///   - configuration: the measures and their parameters.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(
    format: AudioFormat, channel: ChannelSelection = .all, configuration: VoiceConfiguration = VoiceConfiguration()
  ) throws(AudioError) {
    try channel.check(channels: format.channels)
    let processor = try VoiceProcessor(sampleRate: format.sampleRate, configuration: configuration)
    (frameLength, hop) = (processor.frameLength, processor.hop)
    self.format = format
    self.channel = channel
    self.configuration = configuration
    self.processor = processor
  }

  /// Processes a buffer.
  /// - Returns: the frames that it completes; a short one completes none.
  /// - Throws: ``AudioError`` with ``AudioError/Code/formatMismatch``; the buffer does not count then.
  @discardableResult
  public func process(_ buffer: PCMBuffer) throws(AudioError) -> [VoiceFrame] {
    var frames: [VoiceFrame] = []
    try process(buffer, into: &frames)
    return frames
  }

  /// Processes a buffer, and appends the frames that it completes. It allocates for a buffer that is longer than all before, for
  /// a gap, and for room in `frames`.
  ///
  /// - Throws: as ``process(_:)``.
  public func process(_ buffer: PCMBuffer, into frames: inout [VoiceFrame]) throws(AudioError) {
    try buffer.expect(format)
    let first = frames.count
    if let next, buffer.position > next {
      try skip(buffer.position - next, into: &frames)
    } else if next != buffer.position {
      // The first buffer, or the first of another recording.
      restart()
      ahead = buffer.position
    }
    next = buffer.position + Int64(buffer.frameCount)
    if format.channels == 1 {
      try take(buffer.samples.span, movingFrom: .min, by: 0, into: &frames)
    } else {
      // Taken out meanwhile, so that there is one reference to the memory.
      var mono: [Float] = []
      swap(&mono, &self.mono)
      defer { swap(&mono, &self.mono) }
      channel.reduce(buffer.samples, channels: format.channels, into: &mono)
      cancellation.add(buffer, channel, mono: mono)
      try take(mono.span, movingFrom: .min, by: 0, into: &frames)
    }
    if frames.count > first {
      frames[first].droppedFrames = droppedFrames
      droppedFrames = 0
    }
  }

  /// The summary of all frames so far.
  public var summary: VoiceSummary {
    get throws(AudioError) { try processor.summary() }
  }

  /// Begins a new measurement; the next buffer is its first.
  public func restart() {
    processor.reset()
    (next, seen, ahead, droppedFrames) = (nil, 0, 0, 0)
    cancellation = ChannelCancellation()
  }

  /// Opens an input and returns its frames as they are measured. A cancelled task gets the frames that the input's last buffer
  /// completed, and then nil.
  ///
  /// - Parameter input: sound of this analyzer's format; another format is an error.
  /// - Throws: what the input throws when it cannot be opened.
  public nonisolated func frames<Input: AudioInput>(
    of input: Input
  ) async throws -> VoiceFrames<Input.Buffers> {
    VoiceFrames(analyzer: self, buffers: try await input.buffers())
  }

  /// Adds silence in the place of dropped frames: for a long gap two frames, after which no sound from before it has an effect.
  private func skip(_ lost: Int64, into frames: inout [VoiceFrame]) throws(AudioError) {
    droppedFrames += lost
    let silence = min(lost, 2 * Int64(frameLength))
    let middle = seen + silence / 2
    let samples = [Float](repeating: 0, count: Int(silence))
    try take(samples.span, movingFrom: middle, by: lost - silence, into: &frames)
    ahead += lost - silence
  }

  /// Processes samples. Frames from the processor's `sample` on are `distance` further on in the recording.
  private func take(
    _ samples: Span<Float>, movingFrom sample: Int64, by distance: Int64, into frames: inout [VoiceFrame]
  ) throws(AudioError) {
    let first = frames.count
    try processor.process(samples, into: &frames)
    seen += Int64(samples.count)
    for index in first..<frames.count {
      frames[index].sample += ahead + (frames[index].sample >= sample ? distance : 0)
      frames[index].time = Double(frames[index].sample) / format.sampleRate
    }
  }
}
