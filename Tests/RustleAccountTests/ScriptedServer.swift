@testable import RustleAccount

/// A server of one account, and what becomes of the messages of its devices.
actor ScriptedServer {
  /// What happens to a save.
  enum Fate: Sendable, CaseIterable {
    case answered
    /// It does not arrive.
    case lost
    /// It is stored, and the answer is lost.
    case unanswered
  }

  private(set) var saved = SavedGains(revision: 0, gains: .flat)
  private(set) var saveCount = 0
  /// The connections that were asked for.
  private(set) var tries = 0
  private var streams: [Int: AsyncThrowingStream<SavedGains, any Error>.Continuation] = [:]
  private var fates: [Fate] = []
  private var ended: AccountError?
  private var refusal: (error: AccountError, gains: EqualizerGains?)?
  /// Whether saves wait for ``release()``.
  private var held: [CheckedContinuation<Void, Never>]?

  func script(_ fates: [Fate]) { self.fates = fates }

  func save(_ gains: EqualizerGains, base: Int64) async throws(AccountError) -> SaveAnswer {
    saveCount += 1
    if held != nil { await withCheckedContinuation { held?.append($0) } }
    if let ended { throw ended }
    let fate = fates.isEmpty ? .answered : fates.removeFirst()
    if fate == .lost { throw .unreachable("nothing") }
    if let refusal, refusal.gains == nil || refusal.gains == gains { throw refusal.error }
    guard base == saved.revision else {
      if fate == .unanswered { throw .unreachable("nothing") }
      return .conflict(saved)
    }
    saved = SavedGains(revision: base + 1, gains: gains)
    for stream in streams.values { stream.yield(saved) }
    if fate == .unanswered { throw .unreachable("nothing") }
    return .saved(saved.revision)
  }

  /// Another program's save.
  func put(_ change: (inout [Float]) -> Void) throws {
    var numbers = saved.gains.numbers
    change(&numbers)
    saved = SavedGains(revision: saved.revision + 1, gains: EqualizerGains(numbers: numbers) ?? .flat)
    for stream in streams.values { stream.yield(saved) }
  }

  /// Goes back to a backup, without a word to the devices.
  func restore(_ saved: SavedGains) { self.saved = saved }

  func connect(_ device: Int, _ stream: AsyncThrowingStream<SavedGains, any Error>.Continuation) {
    tries += 1
    if let ended { return stream.finish(throwing: ended) }
    streams[device] = stream
    stream.yield(saved)
  }

  func cut(_ device: Int) { streams.removeValue(forKey: device)?.finish() }

  /// The session ends.
  func end(_ error: AccountError) {
    ended = error
    for stream in streams.values { stream.finish(throwing: error) }
  }

  /// It takes no save; with `gains` none of them.
  func refuseSaves(_ error: AccountError, of gains: EqualizerGains? = nil) { refusal = (error, gains) }

  /// It answers again.
  func resume() { ended = nil }

  func hold() { held = held ?? [] }

  func release() {
    let waiting = held ?? []
    held = nil
    for each in waiting { each.resume() }
  }
}

/// The connection of one device.
struct ScriptedLink: GainTransport {
  let server: ScriptedServer
  let device: Int

  func revisions() -> AsyncThrowingStream<SavedGains, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      Task { await server.connect(device, continuation) }
    }
  }

  func save(_ gains: EqualizerGains, base: Int64) async throws(AccountError) -> SaveAnswer {
    try await server.save(gains, base: base)
  }
}

/// Waits for what is to become true, or for the end of the test, whose time is limited.
func until(_ isTrue: () async throws -> Bool) async throws {
  while try await !isTrue() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
