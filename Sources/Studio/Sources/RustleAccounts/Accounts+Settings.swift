public import Foundation

extension Accounts {
  /// The settings that an account may have.
  public static let maximumSettingCount = 250
  /// The names of settings that an account may use, with those of deleted ones.
  static let maximumNameCount = 5_000
  /// The bytes of values that count as one that is read.
  static let readLength = 64 << 10

  /// All settings that have a value, by their names.
  public func settings(_ signedIn: SignedIn) async throws -> [Setting] {
    try await allSettings(signedIn).filter { $0.value != nil }
  }

  /// All settings by their names, with those that were deleted.
  public func allSettings(_ signedIn: SignedIn) async throws -> [Setting] {
    let id = signedIn.account.id
    return try await store.settings(of: id) { [limits] length in
      try limits.take([(.read, id.hexadecimal)], count: max(1, Double(length) / Double(Self.readLength)))
    }
  }

  /// All settings that have a value, but without the values: only one is read.
  public func settings(_ signedIn: SignedIn, valueOf name: String) async throws -> [Setting] {
    try await store.settings(of: signedIn.account.id, valueOf: name)
  }

  /// A setting; of revision 0 when it was never saved.
  ///
  /// - Parameter isCounted: whether it is one of the reads that are limited; false where one was counted for it already.
  public func setting(_ name: String, _ signedIn: SignedIn, isCounted: Bool = true) async throws -> Setting {
    if isCounted { try limits.take([(.read, signedIn.account.id.hexadecimal)]) }
    return try await store.setting(name, of: signedIn.account.id)
  }

  /// Saves a value if the setting still has the revision `base`, and reports it to all sessions of the account.
  ///
  /// - Parameters:
  ///   - value: nil deletes it; the revision goes on.
  ///   - device: what the device calls itself, so that it knows its own saves.
  public func save(
    _ name: String, base: Int64, value: Data?, device: String, _ signedIn: SignedIn
  ) async throws -> SettingSave {
    let id = signedIn.account.id
    try limits.take([(.save, id.hexadecimal)])
    let result = try await store.save(
      name, of: id, base: base, value: value, device: device, at: time,
      committed: { [events] in events.send(.setting($0), to: id) })
    switch result {
    case .saved(let setting): return .saved(setting)
    case .conflict(let setting): return .conflict(setting)
    case .full:
      throw AccountRefusal(.validation, "name: expected at most \(Self.maximumSettingCount) settings", field: "name")
    }
  }

  /// Reports to the other sessions of the account a value that is not saved.
  public func preview(
    _ name: String, base: Int64, value: Data, device: String, from subscriber: Int?, _ signedIn: SignedIn
  ) {
    events.send(
      .preview(name: name, base: base, value: value, device: device), to: signedIn.account.id, except: subscriber)
  }

  /// Calls `receive` with each event of the session's account, which must not wait, until it is unsubscribed or the session has
  /// ended. Nil when it has already.
  public func subscribe(
    _ signedIn: SignedIn, _ receive: @escaping @Sendable (AccountEvent) -> Void
  ) async throws -> Int? {
    let id = events.subscribe(signedIn.session, receive)
    // It may have ended just before.
    guard try await store.session(hash: signedIn.session.hash) == nil else { return id }
    events.unsubscribe(id)
    return nil
  }

  /// Ends what ``subscribe(_:_:)`` began.
  public func unsubscribe(_ id: Int) { events.unsubscribe(id) }
}

/// What became of a save.
public enum SettingSave: Sendable, Hashable {
  /// It has the next revision.
  case saved(Setting)
  /// Nothing is stored: this is the present one.
  case conflict(Setting)

  /// What is stored now.
  public var setting: Setting {
    switch self {
    case .saved(let setting), .conflict(let setting): setting
    }
  }
}
