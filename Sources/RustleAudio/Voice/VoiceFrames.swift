/// What a ``VoiceAnalyzer`` hears in an input.
public struct VoiceFrames<Buffers: AsyncSequence>: AsyncSequence where Buffers.Element == AudioBuffer {
  /// A frame.
  public typealias Element = VoiceFrame
  /// What the input throws, or ``AudioError``.
  public typealias Failure = any Error

  let analyzer: VoiceAnalyzer
  let buffers: Buffers

  /// Reads the input in its one consumer's place.
  public func makeAsyncIterator() -> Iterator {
    Iterator(analyzer: analyzer, buffers: buffers.makeAsyncIterator())
  }

  /// Feeds the analyzer, and gives its frames.
  public struct Iterator: AsyncIteratorProtocol {
    private let analyzer: VoiceAnalyzer
    private var buffers: Buffers.AsyncIterator
    /// What the last buffer gave, and the place of the next.
    private var waiting: [VoiceFrame] = []
    private var place = 0
    private var isOver = false

    init(analyzer: VoiceAnalyzer, buffers: Buffers.AsyncIterator) {
      self.analyzer = analyzer
      self.buffers = buffers
    }

    /// The next frame, nil after the last.
    public mutating func next() async throws -> VoiceFrame? {
      try await next(isolation: #isolation)
    }

    /// The next frame, nil after the last; it waits in the isolation of `actor`.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> VoiceFrame? {
      while !isOver {
        if place < waiting.count {
          place += 1
          return waiting[place - 1]
        }
        do {
          guard let buffer = try await buffers.next(isolation: actor) else { break }
          (waiting, place) = (try await analyzer.process(buffer), 0)
        } catch {
          isOver = true
          throw error
        }
      }
      isOver = true
      return nil
    }
  }
}
