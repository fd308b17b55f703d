internal import Foundation
internal import NIOWebSocket
internal import RustleAccounts
internal import StudioCore
internal import Synchronization

/// The account of a client on its WebSocket.
final class AccountSocket: Sendable {
  /// Previews a second that are passed on.
  private static let previewRate = 30.0

  private let accounts: Accounts
  private let signedIn: Accounts.SignedIn
  private let client: Client
  private let ends: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation
  private struct State {
    var subscriber: Int?
    var isWanted = false
    var pace = MessagePace(rate: previewRate)
  }

  private let state = Mutex(State())

  /// Nil without a session.
  init?(_ service: AccountService?, token: String?, client: Client) async {
    guard let service, let token, let signedIn = try? await service.accounts.signedIn(token: token) else { return nil }
    (accounts, self.signedIn, self.client) = (service.accounts, signedIn, client)
    (ends, end) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    // Also a client that wants no values is to end with its session.
    guard let id = try? await accounts.subscribe(signedIn, { [weak self] in self?.receive($0) }) else { return nil }
    state.withLock { $0.subscriber = id }
  }

  /// Ends the subscription.
  func leave() {
    if let id = state.withLock({ $0.subscriber.take() }) { accounts.unsubscribe(id) }
    end.finish()
  }

  /// Returns when the session has ended.
  func ended() async {
    let lifetime = Duration.seconds(Double(signedIn.session.expires) - Date.now.timeIntervalSince1970)
    let timer = Task { [end] in
      try? await Task.sleep(for: lifetime)
      if !Task.isCancelled { end.yield() }
    }
    defer { timer.cancel() }
    for await _ in ends { return }
  }

  /// Sends the values from now on, the present ones first; or no more.
  func subscribe(_ isWanted: Bool) async {
    state.withLock { $0.isWanted = isWanted }
    let equalizer = SettingName.equalizer
    guard isWanted, let settings = try? await accounts.settings(signedIn, valueOf: equalizer) else { return }
    if !settings.contains(where: { $0.name == equalizer }),
      let flat = try? await accounts.setting(equalizer, signedIn, isCounted: false)
    {
      receive(.setting(flat))
    }
    for setting in settings { receive(.setting(setting)) }
  }

  /// Performs an action of the account.
  func perform(_ name: String, _ arguments: JSON) throws(ActionError) -> JSON {
    guard name == "account/preview" else {
      throw ActionError("notFound", "expected account/preview, got \(name)", status: 404)
    }
    // Of a page that has noticed sooner than its connection that somebody else is signed in.
    if let owner = arguments["account"].string, owner != signedIn.account.handle {
      throw ActionError("signedOut", "expected a connection of the page's account, got one of another account")
    }
    let (subscriber, isDue) = state.withLock { state in (state.subscriber, state.pace.take(at: .now)) }
    guard isDue else { return .null }
    do {
      let value = try SettingRoutes.bands(arguments)
      accounts.preview(
        SettingName.equalizer, base: try SettingRoutes.revision(arguments), value: value.bytes,
        device: try SettingRoutes.device(arguments), from: subscriber, signedIn)
    } catch {
      let error = error as? AccountRefusal
      throw ActionError(error?.code.rawValue ?? "validation", error?.message ?? "expected bands")
    }
    return .null
  }

  private func receive(_ event: AccountEvent) {
    switch event {
    case .ended: end.yield()
    case .setting(let setting):
      var fields: [String: JSON] =
        setting.name == SettingName.equalizer ? setting.json : ["v": .number(1), "rev": .integer(setting.revision)]
      fields["type"] = "account"
      fields["account"] = .string(signedIn.account.handle)
      fields["name"] = .string(setting.name)
      fields["device"] = .string(setting.device)
      put("account " + setting.name, fields, revision: setting.revision)
    case .preview(let name, let base, let value, let device):
      guard let value = EqualizerValue(bytes: value) else { return }
      put(
        "preview " + name,
        [
          "v": .number(1), "type": "preview", "account": .string(signedIn.account.handle), "name": .string(name),
          "device": .string(device), "rev": .integer(base), "bands": .numbers(value.numbers),
        ])
    }
  }

  /// The newest text of a name waits, and no other one: a revision that was read before a newer one was saved may come after it.
  private func put(_ name: String, _ fields: [String: JSON], revision: Int64 = 0) {
    let text = JSON.object(fields).text
    state.withLock { state in
      guard state.isWanted else { return }
      client.withOutbox { $0.state(name, text, revision: revision) }
    }
  }
}
