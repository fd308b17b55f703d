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
    private var isTaken = false
    private var waiting: [(number: UInt64, turn: CheckedContinuation<Bool, Never>)] = []
    private var lastNumber: UInt64 = 0

    init(_ iterator: Iterator) { self.iterator = iterator }

    func next() async -> Value? {
      if isTaken {
        guard await turn() else { return nil }
      } else {
        isTaken = true
      }
      defer { leave() }
      guard var taken = iterator.take() else { return nil }
      while let element = await taken.next(isolation: self) {
        guard case .value(let value) = element else { continue }
        iterator = taken
        return value
      }
      return nil
    }

    /// Waits for its turn; false when the task is cancelled. An actor lets the next caller in while the one before it waits,
    /// and a closure that has nothing to give for that reason would end the `AsyncStream` for every reader.
    private func turn() async -> Bool {
      lastNumber += 1
      let number = lastNumber
      return await withTaskCancellationHandler {
        await withCheckedContinuation { turn in
          if Task.isCancelled { turn.resume(returning: false) } else { waiting.append((number, turn)) }
        }
      } onCancel: {
        Task { await self.giveUp(number) }
      }
    }

    private func giveUp(_ number: UInt64) {
      guard let place = waiting.firstIndex(where: { $0.number == number }) else { return }
      waiting.remove(at: place).turn.resume(returning: false)
    }

    private func leave() {
      if waiting.isEmpty {
        isTaken = false
      } else {
        waiting.removeFirst().turn.resume(returning: true)
      }
    }
  }
}
