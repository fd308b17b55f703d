internal import RustleCore

/// The measures of a voice at one moment.
public struct VoiceFrame: Sendable, Hashable {
  /// The time of the frame's middle, in samples from the beginning of the signal.
  public var sample: Int64
  /// The time of the frame's middle, in seconds from the beginning of the signal.
  public var time: Double
  /// The pitch in Hz; nil: none in the range. It is valid if ``isVoiced``.
  public var pitch: Double?
  /// The confidence, 0 to 1: of frames of one voice that look like this one, the share that has the reported pitch. Several notes do
  /// not lower it.
  public var confidence: Double
  /// Whether the frame is voiced: has a pitch with a confidence of at least ``PitchFrame/voicedConfidence``.
  public var isVoiced: Bool
  /// The level in dB relative to a full-scale square wave; minus infinity for silence.
  public var level: Double
  /// The harmonics-to-noise ratio in dB, of a voiced frame; minus infinity where nothing is periodic, nil if not measured.
  public var harmonicsToNoise: Double?
  /// The formants; none if not measured. Formants of an unvoiced frame are the noise's.
  public var formants: Formants
  /// The spectrum's mean frequency in Hz; nil for silence and if not measured.
  public var centroid: Double?
  /// The frames of sound dropped since the previous analysis frame, replaced by silence. 0 of a signal without gaps.
  public var droppedFrames: Int64

  /// Creates a frame, for tests and for measures from other sources.
  public init(
    sample: Int64, time: Double, pitch: Double?, confidence: Double, isVoiced: Bool, level: Double = -.infinity,
    harmonicsToNoise: Double? = nil, formants: Formants = Formants(), centroid: Double? = nil, droppedFrames: Int64 = 0
  ) {
    self.sample = sample
    self.time = time
    self.pitch = pitch
    self.confidence = confidence
    self.isVoiced = isVoiced
    self.level = level
    self.harmonicsToNoise = harmonicsToNoise
    self.formants = formants
    self.centroid = centroid
    self.droppedFrames = droppedFrames
  }

  init(_ native: NativeVoiceFrame, sampleRate: Double) {
    self.init(
      sample: Int64(clamping: native.sample), time: Double(native.sample) / sampleRate,
      pitch: native.pitch > 0 ? native.pitch : nil, confidence: native.confidence, isVoiced: native.isVoiced,
      level: native.level, harmonicsToNoise: native.hnr.isNaN ? nil : native.hnr, formants: Formants(native.formants),
      centroid: native.centroid > 0 ? native.centroid : nil)
  }
}

/// The frames that a ``VoiceAnalyzer`` measures in an input.
public struct VoiceFrames<Buffers: AsyncSequence>: AsyncSequence where Buffers.Element == PCMBuffer {
  /// A frame.
  public typealias Element = VoiceFrame
  /// The input's error, or ``AudioError``.
  public typealias Failure = any Error

  let analyzer: VoiceAnalyzer
  let buffers: Buffers

  /// Reads the input as its only consumer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(analyzer: analyzer, buffers: buffers.makeAsyncIterator())
  }

  /// An iterator that delivers buffers to the analyzer and returns its frames.
  public struct Iterator: AsyncIteratorProtocol {
    private let analyzer: VoiceAnalyzer
    private var feed: BufferFeed<Buffers.AsyncIterator, VoiceFrame>

    init(analyzer: VoiceAnalyzer, buffers: Buffers.AsyncIterator) {
      self.analyzer = analyzer
      feed = BufferFeed(buffers)
    }

    /// Returns the next frame, nil after the last.
    public mutating func next() async throws -> VoiceFrame? {
      try await next(isolation: #isolation)
    }

    /// Returns the next frame, nil after the last; waits in the isolation of `actor`.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> VoiceFrame? {
      try await feed.next(isolation: actor) { [analyzer] in try await analyzer.process($0) }
    }
  }
}
