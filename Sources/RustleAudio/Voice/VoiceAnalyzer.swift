/// A voice along sound that comes in buffers: frames as it is heard, and all of it in sum.
///
/// ```swift
/// let voice = try VoiceAnalyzer(format: capture.configuration.format)
/// for try await frame in try await voice.frames(of: capture) where frame.isVoiced {
///   print(frame.time, frame.pitch ?? 0, frame.formants.f1 ?? 0)
/// }
/// let summary = try await voice.summary
/// ```
///
/// Any task may read the sum while another one feeds it. It takes one recording at a time: a buffer that is not after the one
/// before begins anew. Sound that was lost counts as silence in its place, and the next frame says how much it was. Memory is of
/// a fixed size, however long the sound.
public actor VoiceAnalyzer {
  /// The rate and the channels that it takes.
  public nonisolated let format: AudioFormat
  /// The channel that it listens to, counted from 0; nil: the mean of all.
  public nonisolated let channel: Int?
  /// What it measures.
  public nonisolated let configuration: VoiceConfiguration
  /// The samples of the longest window: the first frame comes with as many.
  public nonisolated let window: Int
  /// The samples from frame to frame.
  public nonisolated let hop: Int

  private var processor: VoiceProcessor
  /// The frame of the recording that is expected next; nil before the first.
  private var next: Int64?
  /// The samples that the processor has seen, and how far the recording's numbers are ahead of its.
  private var seen: Int64 = 0
  private var ahead: Int64 = 0
  /// The frames lost since the last frame that was given.
  private var droppedFrames: Int64 = 0

  /// - Parameters:
  ///   - format: of 8000 to 192,000 Hz and any channels.
  ///   - channel: the one that is listened to, counted from 0; nil: the mean of all.
  ///   - configuration: what is measured.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(
    format: AudioFormat, channel: Int? = nil, configuration: VoiceConfiguration = VoiceConfiguration()
  ) throws(AudioError) {
    if let channel, !(0..<format.channels).contains(channel) {
      throw .validation("channel", expected: "one below \(format.channels)", got: "\(channel)")
    }
    let processor = try VoiceProcessor(sampleRate: format.sampleRate, configuration: configuration)
    (window, hop) = (processor.window, processor.hop)
    self.format = format
    self.channel = channel
    self.configuration = configuration
    self.processor = processor
  }

  /// Takes a buffer.
  ///
  /// - Returns: the frames that it completes; none of a short one.
  /// - Throws: ``AudioError`` with ``AudioError/Code/formatMismatch``; the buffer does not count then.
  @discardableResult
  public func process(_ buffer: PCMBuffer) throws(AudioError) -> [VoiceFrame] {
    try buffer.expect(format)
    var frames: [VoiceFrame] = []
    if let next, buffer.position > next {
      try skip(buffer.position - next, into: &frames)
    } else if next != buffer.position {
      // The first, or one of another recording.
      restart()
      ahead = buffer.position
    }
    next = buffer.position + Int64(buffer.frameCount)
    let samples = buffer.mono(channel: channel)
    try take(samples.span, movingFrom: .min, by: 0, into: &frames)
    if !frames.isEmpty {
      frames[0].droppedFrames = droppedFrames
      droppedFrames = 0
    }
    return frames
  }

  /// All frames so far in sum.
  public var summary: VoiceSummary {
    get throws(AudioError) { try processor.summary() }
  }

  /// Begins a new measurement; the next buffer is its first.
  public func restart() {
    processor.reset()
    (next, seen, ahead, droppedFrames) = (nil, 0, 0, 0)
  }

  /// Listens to an input, and gives each frame as it is heard. A task that is cancelled is given those that the input's last
  /// buffer completed, and then nil.
  ///
  /// - Parameter input: of this analyzer's format; another one is an error.
  /// - Throws: what the input throws when it cannot be opened.
  public nonisolated func frames<Input: AudioInput>(
    of input: Input
  ) async throws -> VoiceFrames<Input.Buffers> {
    VoiceFrames(analyzer: self, buffers: try await input.buffers())
  }

  /// Silence in the place of what was lost: of a long hole two windows, after which nothing of what was before it is heard.
  private func skip(_ lost: Int64, into frames: inout [VoiceFrame]) throws(AudioError) {
    droppedFrames += lost
    let silence = min(lost, 2 * Int64(window))
    let middle = seen + silence / 2
    let samples = [Float](repeating: 0, count: Int(silence))
    try take(samples.span, movingFrom: middle, by: lost - silence, into: &frames)
    ahead += lost - silence
  }

  /// Takes samples in. Frames from the processor's `sample` on are `distance` further on in the recording.
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
