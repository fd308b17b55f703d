/// The outputs of an input's buffers, one at a time, for ``VoiceFrames`` and ``TunerUpdates``.
struct BufferFeed<Buffers: AsyncIteratorProtocol, Output> where Buffers.Element == PCMBuffer {
  private var buffers: Buffers
  /// The outputs of the last buffer, and the index of the next one.
  private var waiting: [Output] = []
  private var index = 0
  private var hasEnded = false
  private var isOver = false

  init(_ buffers: Buffers) { self.buffers = buffers }

  /// The next output, or nil at the end and after an error; it waits in the isolation of `actor`.
  ///
  /// - Parameters:
  ///   - process: returns the outputs of a buffer.
  ///   - finish: returns the outputs of the end.
  mutating func next(
    isolation actor: isolated (any Actor)?, _ process: (PCMBuffer) async throws -> [Output],
    atEnd finish: () async throws -> [Output] = { [] }
  ) async throws -> Output? {
    while !isOver {
      if index < waiting.count {
        index += 1
        return waiting[index - 1]
      }
      do {
        if hasEnded { break }
        if let buffer = try await buffers.next(isolation: actor) {
          (waiting, index) = (try await process(buffer), 0)
        } else {
          hasEnded = true
          (waiting, index) = (try await finish(), 0)
        }
      } catch {
        isOver = true
        throw error
      }
    }
    isOver = true
    return nil
  }
}
