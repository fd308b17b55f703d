public import Foundation
internal import Synchronization

/// What is reported to the sessions of an account.
public enum AccountEvent: Sendable, Hashable {
  /// A setting was saved.
  case setting(Setting)
  /// A setting moves on another device, from the value of a revision on, and is not saved.
  case preview(name: String, base: Int64, value: Data, device: String)
  /// The session has ended: nothing follows.
  case ended
}

/// Reports to sessions what happens to their account. The store is not asked: what is reported has been committed.
final class AccountEvents: Sendable {
  private struct Subscriber {
    let account: Data
    let session: Data
    let receive: @Sendable (AccountEvent) -> Void
  }

  private let state = Mutex((next: 0, subscribers: [Int: Subscriber]()))

  /// Calls `receive` with each event of the account, which must not wait, until it is unsubscribed or the session has ended.
  func subscribe(
    _ session: DeviceSession, _ receive: @escaping @Sendable (AccountEvent) -> Void
  ) -> Int {
    state.withLock { state in
      state.next += 1
      state.subscribers[state.next] = Subscriber(account: session.account, session: session.hash, receive: receive)
      return state.next
    }
  }

  func unsubscribe(_ id: Int) { state.withLock { _ = $0.subscribers.removeValue(forKey: id) } }

  /// Reports to all sessions of the account but one subscriber.
  func send(_ event: AccountEvent, to account: Data, except id: Int? = nil) {
    let receivers = state.withLock { state in
      state.subscribers.filter { $0.key != id && $0.value.account == account }.map(\.value.receive)
    }
    for receive in receivers { receive(event) }
  }

  /// The sessions that somebody listens to.
  var sessions: Set<Data> { state.withLock { Set($0.subscribers.values.map(\.session)) } }

  /// Reports to sessions that they have ended.
  func end(_ sessions: [Data]) {
    guard !sessions.isEmpty else { return }
    let ended = Set(sessions)
    let receivers = state.withLock { state in
      let gone = state.subscribers.filter { ended.contains($0.value.session) }
      for id in gone.keys { state.subscribers[id] = nil }
      return gone.map(\.value.receive)
    }
    for receive in receivers { receive(.ended) }
  }
}
