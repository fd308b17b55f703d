internal import RustleCore

/// The sound of one capture, in buffers; for one consumer.
///
/// Waiting blocks are joined, as far as they are contiguous. It ends when the capture has reached its limit or is cancelled, and
/// with an error when the device was lost.
public struct CaptureBuffers: AsyncSequence, SettlingBuffers, Sendable {
  /// A buffer, with the number of frames dropped before it.
  public typealias Element = PCMBuffer
  /// The device was lost, or the native side failed.
  public typealias Failure = AudioError

  let stream: EngineStream<PCMBuffer>
  let maximumFrameCount: Int

  /// The counts so far, in blocks of the native side.
  public var statistics: StreamStatistics { stream.statistics }

  /// The first iterator reads; further ones end at once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: stream.makeAsyncIterator(), stream: stream, maximumFrameCount: maximumFrameCount)
  }

  /// Ends the capture if it runs, and returns when the device is closed.
  package func settle() async {
    let monitor = StreamMonitor(stream)
    monitor.cancel()
    await monitor.released()
  }

  /// An iterator over the waiting blocks.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: EngineStream<PCMBuffer>.Iterator
    private let stream: EngineStream<PCMBuffer>
    private let maximumFrameCount: Int
    private var waiting: [StreamElement<PCMBuffer>] = []
    private var index = 0
    /// The next frame if none is dropped.
    private var next: Int64 = 0
    private var isOver = false

    init(base: EngineStream<PCMBuffer>.Iterator, stream: EngineStream<PCMBuffer>, maximumFrameCount: Int) {
      self.base = base
      self.stream = stream
      self.maximumFrameCount = maximumFrameCount
    }

    /// The next buffer, or nil at the end; it waits in the isolation of the caller.
    public mutating func next() async throws(AudioError) -> PCMBuffer? {
      try await next(isolation: #isolation)
    }

    /// The next buffer, or nil at the end; it waits in the isolation of `actor`.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(AudioError) -> PCMBuffer? {
      if isOver { return nil }
      while true {
        // A cancelled task gets no waiting block.
        if Task.isCancelled { index = waiting.count }
        while index < waiting.count {
          if let buffer = joined() { return buffer }
        }
        index = 0
        guard await base.next(into: &waiting, maximumCount: 1_024, isolation: actor) else {
          isOver = true
          if let error = AudioError.end(of: stream.outcome, advice: "Check the device, and capture again.") {
            throw error
          }
          return nil
        }
      }
    }

    /// The block at `index` with the following ones, as far as they fit; nil for a gap, which the positions show.
    private mutating func joined() -> PCMBuffer? {
      guard let first = waiting[index].value else {
        index += 1
        return nil
      }
      index += 1
      var samples = first.samples
      var end = first.position + Int64(first.frameCount)
      while index < waiting.count, let block = waiting[index].value, block.position == end,
        block.overruns == first.overruns,
        samples.count + block.samples.count <= maximumFrameCount * first.format.channels
      {
        samples += block.samples
        end += Int64(block.frameCount)
        index += 1
      }
      defer { next = end }
      return PCMBuffer(
        format: first.format, wholeFrames: samples, position: first.position, droppedFrames: first.position - next,
        overruns: first.overruns)
    }
  }
}

/// Buffers whose source outlives the iteration for a moment.
package protocol SettlingBuffers {
  /// Ends the source if it runs, and returns when it has ended.
  func settle() async
}
