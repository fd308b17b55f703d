import Foundation
import Synchronization

@testable import RustleAccounts

/// A clock that a test sets.
final class TestClock: Sendable {
  private let seconds = Mutex(1_800_000_000.0)

  var now: Double { seconds.withLock { $0 } }

  func advance(by time: Double) { seconds.withLock { $0 += time } }
}

/// Accounts in a folder of their own, with a clock that a test sets and hashes of the lowest cost.
final class TestAccounts: Sendable {
  static let password = "neither long nor short"

  let folder: URL
  let clock = TestClock()
  let accounts: Accounts
  let client = AccountClient(address: "192.0.2.7", agent: "Tests")

  var path: String { folder.appending(path: "inner/accounts.sqlite").path }

  init(_ change: (inout Accounts.Configuration) -> Void = { _ in }) async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    accounts = try await Self.open(folder, clock, change)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The same file again, as after a restart.
  func reopened(_ change: (inout Accounts.Configuration) -> Void = { _ in }) async throws -> Accounts {
    try await Self.open(folder, clock, change)
  }

  private static func open(
    _ folder: URL, _ clock: TestClock, _ change: (inout Accounts.Configuration) -> Void
  ) async throws -> Accounts {
    var configuration = Accounts.Configuration()
    (configuration.hashMemory, configuration.hashPasses) = (8, 1)
    change(&configuration)
    return try await Accounts(
      path: folder.appending(path: "inner/accounts.sqlite").path, configuration: configuration, now: { clock.now })
  }

  func register(_ address: String = "Ada@example.org", from network: String = "192.0.2.7") async throws
    -> Accounts.SignedIn
  {
    let login = try await accounts.register(
      address: address, password: Self.password, from: AccountClient(address: network, agent: "Tests"))
    return Accounts.SignedIn(account: login.account, session: login.session)
  }

  func logIn(_ password: String = TestAccounts.password, _ address: String = "ada@example.org") async throws
    -> Accounts.Login
  {
    try await accounts.logIn(address: address, password: password, from: client)
  }
}

extension AuditEntry {
  /// An entry for calls of the store that tests make.
  static let test = Self(at: 1, what: "test", from: "")
}

/// The code of the error that an operation throws; nil: none.
func refusal(_ work: () async throws -> some Any) async -> AccountRefusal.Code? {
  do {
    _ = try await work()
    return nil
  } catch {
    return (error as? AccountRefusal)?.code
  }
}
