extension EngineStream {
  /// Returns the values without gaps as an `AsyncStream`, which becomes this stream's one consumer. Tasks that read it
  /// concurrently take turns: each value goes to one of them.
  public func asyncStream() -> AsyncStream<Value> {
    let puller = Puller(makeAsyncIterator())
    return AsyncStream { await puller.next() }
  }

  /// Serializes the calls of an `AsyncStream`, whose closure may be called from any task.
  private actor Puller {
    private var iterator: Iterator?
    private let turns = Turns()

    init(_ iterator: Iterator) { self.iterator = iterator }

    func next() async -> Value? {
      // A closure that returned nil because another task waits would end the `AsyncStream` for every reader.
      guard await turns.take() else { return nil }
      defer { turns.leave() }
      guard var taken = iterator.take() else { return nil }
      while let element = await taken.next(isolation: self) {
        guard case .value(let value) = element else { continue }
        iterator = taken
        return value
      }
      return nil
    }
  }
}
