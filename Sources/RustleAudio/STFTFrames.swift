/// Live spectra: those of a microphone, or of other sound that arrives as an asynchronous sequence of pieces.
///
/// Each element is one frame, ``STFT/valuesPerFrame`` elements, and arrives with its last sample. The frames at the end of the
/// signal follow the last piece.
///
/// ```swift
/// for try await row in microphone.spectra(stft) { print(row.max() ?? 0) }
/// ```
///
/// The sequence can be iterated as often as its base can. It ends with an error when the base does, or with ``FFTError`` when a
/// frame cannot be computed.
public struct STFTFrames<Base: AsyncSequence>: AsyncSequence where Base.Element == [Float] {
  /// One frame.
  public typealias Element = [Float]

  private let base: Base
  private let stft: STFT

  /// The frames of the signal whose pieces are `base`.
  public init(_ base: Base, stft: STFT) {
    self.base = base
    self.stft = stft
  }

  /// An iterator at the beginning of the signal.
  public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), stft: stft) }

  /// An iterator over the frames. Its copies share the signal: use only one of them.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: Base.AsyncIterator
    private let stft: STFT
    private var state = State.unstarted
    private var piece: [Float] = []
    private var taken = 0

    /// A copyable holder of a noncopyable value.
    private final class Box {
      var stream: STFTStream

      init(_ stft: STFT) throws(FFTError) { stream = try STFTStream(stft) }
    }

    private enum State {
      case unstarted
      case streaming(Box)
      case finishing(Box)
      case ended
    }

    init(base: Base.AsyncIterator, stft: STFT) {
      self.base = base
      self.stft = stft
    }

    /// The next frame, or nil after the last one.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> [Float]? {
      do {
        return try await frame(isolation: actor)
      } catch {
        state = .ended
        throw error
      }
    }

    /// The next frame, or nil after the last one.
    public mutating func next() async throws -> [Float]? { try await next(isolation: nil) }

    private mutating func frame(isolation actor: isolated (any Actor)?) async throws -> [Float]? {
      while true {
        switch state {
        case .unstarted:
          state = .streaming(try Box(stft))
        case .streaming(let box):
          if let row = try pushed(to: box) { return row }
          if let next = try await base.next(isolation: actor) {
            (piece, taken) = (next, 0)
          } else {
            state = .finishing(box)
          }
        case .finishing(let box):
          var row = [Float](repeating: 0, count: stft.valuesPerFrame)
          var output = row.mutableSpan
          if try box.stream.finish(into: &output) == 1 { return row }
          state = .ended
        case .ended:
          return nil
        }
      }
    }

    /// The next frame that the current piece completes.
    private mutating func pushed(to box: Box) throws(FFTError) -> [Float]? {
      var row = [Float](repeating: 0, count: stft.valuesPerFrame)
      var output = row.mutableSpan
      let progress = try box.stream.push(piece.span.extracting(taken...), into: &output)
      taken += progress.taken
      return progress.frames == 1 ? row : nil
    }
  }
}

extension STFTFrames: Sendable where Base: Sendable {}

extension AsyncSequence where Element == [Float] {
  /// Returns the spectra of the signal as it arrives: of a microphone, for example. See ``STFTFrames``.
  public func spectra(_ stft: STFT) -> STFTFrames<Self> { STFTFrames(self, stft: stft) }
}

extension STFT {
  /// Opens an input, such as a capture, and returns its frames as they are complete.
  ///
  /// ```swift
  /// let stft = try STFT(size: 2_048, normalization: .amplitude, output: .decibels)
  /// for try await levels in try await stft.frames(of: capture) {
  ///   print(levels.max() ?? FFT.decibelFloor)
  /// }
  /// ```
  ///
  /// Silence replaces dropped frames, except for gaps of more than a minute.
  ///
  /// - Parameters:
  ///   - input: sound of any format.
  ///   - channel: the selected channels. One that the sound does not have is an ``AudioError`` of the first frame.
  /// - Throws: what the input throws when it cannot be opened.
  public func frames<Input: AudioInput>(
    of input: Input, channel: ChannelSelection = .all
  ) async throws -> STFTFrames<AsyncThrowingMapSequence<Input.Buffers, [Float]>> {
    try await input.buffers().mono(channel: channel).spectra(self)
  }
}
