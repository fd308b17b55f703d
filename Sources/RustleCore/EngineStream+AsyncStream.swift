extension EngineStream {
  /// The values alone, as an `AsyncStream`, which is read in this stream's place. Gaps are left out. Tasks that read it at the
  /// same time take turns: each value goes to one of them.
  public func asyncStream() -> AsyncStream<Value> {
    let puller = Puller(makeAsyncIterator())
    return AsyncStream { await puller.next() }
  }

  /// Serialises the calls of an `AsyncStream`, whose closure may be called from any task.
  private actor Puller {
    private var iterator: Iterator?
    private let turns = Turns()

    init(_ iterator: Iterator) { self.iterator = iterator }

    func next() async -> Value? {
      // A closure that has nothing to give because another task waits would end the `AsyncStream` for every reader.
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
