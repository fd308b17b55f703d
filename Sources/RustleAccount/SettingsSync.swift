/// The equalizer of an account on this device: it follows the account's, and what is changed here goes to every device.
///
/// ```swift
/// func follow(_ session: AccountSession) async throws {
///   let sync = SettingsSync(session)
///   async let running: Void = sync.run()
///   for await state in sync.values { print(state.revision, state.gains.left) }
///   // The session has ended, or the server refuses it: this throws why.
///   try await running
/// }
/// ```
///
/// A save names the revision that it is based on. When another device was first, the bands that only one of them changed are merged; those
/// that both changed are reported as a ``Conflict`` and wait for ``resolve(keepingOwn:)``. Without a connection one unsaved value is kept,
/// and saved by the same rule after reconnecting.
public actor SettingsSync {
  /// Bands that two devices changed to different gains.
  public struct Conflict: Sendable, Hashable {
    /// The bands: 0 to 13 of the left channel, 14 to 27 of the right one.
    public let bands: [Int]
    /// The gains with those of the other device in these bands.
    public let theirs: EqualizerGains
  }

  /// What this device knows.
  public struct State: Sendable, Hashable {
    /// The gains of this device, with what is not saved yet.
    public let gains: EqualizerGains
    /// The newest revision that is known, 0 before the first save of the account.
    public let revision: Int64
    /// Whether the account has these gains.
    public let isSaved: Bool
    /// Whether the server's changes arrive.
    public let isConnected: Bool
    /// The bands that wait for an answer; nil: none.
    public let conflict: Conflict?
  }

  /// The newest state, after each change. For one consumer. It ends when ``run()`` throws, which says why.
  public nonisolated let values: AsyncStream<State>

  /// The waits for a server without an answer: the first one, and the longest.
  typealias Waits = (first: Duration, longest: Duration)

  private let transport: any GainTransport
  private let waits: Waits
  private let continuation: AsyncStream<State>.Continuation
  /// Nil before the first revision has arrived.
  private var draft: GainDraft?
  /// What is changed before that, over what the user saw; without that all bands are changed.
  private var early: (gains: EqualizerGains, shown: EqualizerGains?)?
  private var (isRunning, isConnected) = (false, false)
  private var sending: Task<Void, Never>?
  private var retrying: Task<Void, Never>?
  /// The newest revision that arrived while a save was on its way.
  private var late: SavedGains?

  /// Creates a device of a session's account. It connects with ``run()``.
  public init(_ session: AccountSession) { self.init(session.transport) }

  init(_ transport: any GainTransport, waits: Waits = (.milliseconds(250), .seconds(8))) {
    (self.transport, self.waits) = (transport, waits)
    (values, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  deinit {
    retrying?.cancel()
    continuation.finish()
  }

  /// The state; nil before the first connection.
  public var state: State? {
    draft.map { draft in
      let theirs = draft.gains.replacing(draft.asked, by: draft.saved.gains)
      return State(
        gains: draft.gains, revision: draft.saved.revision, isSaved: draft.local == nil, isConnected: isConnected,
        conflict: draft.asked.isEmpty ? nil : Conflict(bands: draft.asked.sorted(), theirs: theirs))
    }
  }

  /// Follows the account until the task is cancelled, also over lost connections.
  ///
  /// - Throws: ``AccountError`` with ``AccountError/Code/signedOut`` when the session has ended, ``AccountError/Code/validation`` while it
  ///   runs already, or another one that does not pass by itself. Except while it runs already, ``values`` ends.
  public func run() async throws(AccountError) {
    guard !isRunning else {
      throw AccountError(
        .validation, "expected a device that does not run, got one that runs",
        advice: "Call run() once, or cancel it before.")
    }
    isRunning = true
    defer { isRunning = false }
    var wait = waits.first
    while !Task.isCancelled {
      do {
        for try await saved in transport.revisions() {
          wait = waits.first
          isConnected = true
          receive(saved)
          await flush()
        }
      } catch let error as AccountError where !isPassing(error) {
        disconnect()
        continuation.finish()
        throw error
      } catch {}
      disconnect()
      try? await Task.sleep(for: wait * Double.random(in: 0.75...1.25))
      wait = min(waits.longest, wait * 2)
    }
  }

  /// Changes the gains and saves them.
  ///
  /// - Parameters:
  ///   - gains: what the user wants.
  ///   - shown: what the user saw before, where that may be older than ``state``: only the bands in which the two differ change. Without
  ///     it all do.
  /// - Returns: the state after the try: not saved without a connection, and while a conflict waits for its answer.
  @discardableResult public func save(_ gains: EqualizerGains, over shown: EqualizerGains? = nil) async -> State? {
    change(gains, over: shown)
    await flush()
    return state
  }

  /// Changes the gains, which ``flush()`` saves.
  func change(_ gains: EqualizerGains, over shown: EqualizerGains?) {
    let moved = shown.map { gains.differences(from: $0) } ?? Set(gains.numbers.indices)
    if let draft {
      self.draft?.change(draft.gains.replacing(moved, by: gains))
    } else if let before = early {
      early = (before.gains.replacing(moved, by: gains), shown == nil ? nil : before.shown)
    } else {
      early = (gains, shown)
    }
    report()
  }

  /// Answers a conflict: with this device's gains, or with those of the other one. Without a conflict it does nothing.
  @discardableResult public func resolve(keepingOwn: Bool) async -> State? {
    draft?.resolve(keepingOwn: keepingOwn)
    report()
    await flush()
    return state
  }

  /// Whether the same call may succeed later. A studio has answered before: what answers otherwise now stands between, as the page of a
  /// hotspot does.
  private func isPassing(_ error: AccountError) -> Bool {
    error.isRetryable || error.code == .response && draft != nil
  }

  private func disconnect() {
    isConnected = false
    report()
  }

  private func report() { if let state { continuation.yield(state) } }

  func receive(_ saved: SavedGains) {
    if draft == nil {
      draft = GainDraft(saved)
      if let early { draft?.change(early.gains, over: early.shown) }
      early = nil
    } else if sending == nil {
      draft?.rebase(saved)
    } else if saved.revision > late?.revision ?? 0 {
      late = saved
    }
    report()
  }

  /// Sends what is due, one value at a time; returns when nothing is due or there is no answer.
  func flush() async {
    if sending == nil, draft?.due != nil {
      // Not a child: a save that has begun is not torn by its caller's end.
      sending = Task { await send() }
    }
    await sending?.value
  }

  private func send() async {
    defer { sending = nil }
    // What arrived since this was called, if there is nothing to send by now.
    takeLate()
    while let base = draft?.saved.revision, let sent = draft?.send() {
      var failure: AccountError?
      do {
        switch try await transport.save(sent, base: base) {
        case .saved(let revision): draft?.accept(revision, sent)
        case .conflict(let saved): draft?.refuse(saved)
        }
      } catch {
        if [.validation, .refused, .signedOut].contains(error.code) {
          draft?.withdraw(isUnfit: error.code == .validation)
        }
        failure = error
      }
      takeLate()
      if let failure { return retry(after: failure) }
    }
  }

  private func takeLate() {
    if let late { draft?.rebase(late) }
    late = nil
    report()
  }

  /// Sends again later what was not saved, unless that cannot succeed.
  private func retry(after failure: AccountError) {
    retrying?.cancel()
    guard isPassing(failure) else { return }
    retrying = Task { [weak self, waits] in
      try? await Task.sleep(for: waits.longest / 8)
      if !Task.isCancelled { await self?.flush() }
    }
  }
}

/// The way to a server's gains.
protocol GainTransport: Sendable {
  /// The present revision, and each newer one, until the connection ends; throws ``AccountError``.
  func revisions() -> AsyncThrowingStream<SavedGains, any Error>
  /// Saves gains that are based on a revision.
  func save(_ gains: EqualizerGains, base: Int64) async throws(AccountError) -> SaveAnswer
}

/// The answer to a save.
enum SaveAnswer: Sendable, Hashable {
  /// The gains have this revision.
  case saved(Int64)
  /// Another device was first.
  case conflict(SavedGains)
}
