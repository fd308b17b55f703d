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
