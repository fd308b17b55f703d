/// Begins something that may never end, and waits for its result: for some time at most, and until the waiting task is cancelled.
///
/// - Returns: nil when it is not there; what was begun goes on.
@discardableResult
func outcome<Value: Sendable>(
  within limit: Duration? = nil, of work: @escaping @Sendable () async -> Value
) async -> Value? {
  let (results, signal) = AsyncStream<Value>.makeStream()
  Task {
    signal.yield(await work())
    signal.finish()
  }
  let timer = limit.map { limit in
    Task {
      try? await Task.sleep(for: limit)
      signal.finish()
    }
  }
  defer { timer?.cancel() }
  return await results.first { _ in true }
}
