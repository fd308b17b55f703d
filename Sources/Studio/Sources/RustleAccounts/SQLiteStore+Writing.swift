internal import Foundation
internal import GRDB
internal import Synchronization

/// The waits for another process that writes, as the command does.
final class WriterWaits: Sendable {
  private let state = Mutex((count: 0, last: ContinuousClock.Instant?.none))

  /// How many were in vain.
  var count: Int { state.withLock { $0.count } }

  func failed() { state.withLock { $0 = ($0.count + 1, .now) } }

  /// Whether one was in vain after a time.
  func haveFailed(since time: ContinuousClock.Instant) -> Bool {
    state.withLock { $0.last.map { $0 > time } ?? false }
  }
}

/// Whether the log of transactions may have what was deleted, as the one of a program that was ended before it emptied it.
final class Leftovers: Sendable {
  private let state = Mutex(true)

  var exist: Bool { state.withLock(\.self) }

  func set(_ exist: Bool) { state.withLock { $0 = exist } }
}

/// Which file a path leads to.
struct FileIdentity: Sendable, Hashable {
  private let device, number: Int

  /// Nil when there is none.
  init?(path: String) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let device = attributes?[.systemNumber] as? Int, let number = attributes?[.systemFileNumber] as? Int else {
      return nil
    }
    (self.device, self.number) = (device, number)
  }
}

extension SQLiteStore {
  /// Writes in one transaction.
  ///
  /// Writers of this process go one after the other, and the first one waits for another process. If it waits in vain, those that came
  /// meanwhile do not wait as well: the last one would wait as many times as long.
  ///
  /// - Throws: ``AccountRefusal`` of the code `busy` when another process does not end its changes, `storage` when the file cannot be written
  ///   or is another one by now, or what the work throws.
  func write<Result: Sendable>(_ work: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
    let (waits, arrival) = (waits, ContinuousClock.now)
    return try await pool.writeWithoutTransaction { database in
      let busy = AccountRefusal(.busy, "expected another program to end its changes of the accounts", retryAfter: 5)
      if waits.haveFailed(since: arrival) { throw busy }
      do {
        try database.beginTransaction(.immediate)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        waits.failed()
        throw busy
      } catch let error as DatabaseError {
        throw Self.unwritable(error)
      }
      do {
        let result = try work(database)
        // What is saved in a file that was deleted or replaced, as by a backup, is gone with this program.
        guard FileIdentity(path: path) == identity else {
          throw AccountRefusal(.storage, "expected the file of the accounts where it was; start the server again")
        }
        try database.commit()
        return result
      } catch {
        if database.isInsideTransaction { try? database.rollback() }
        guard let error = error as? DatabaseError, error.resultCode != .SQLITE_CONSTRAINT else { throw error }
        throw Self.unwritable(error)
      }
    }
  }

  private static func unwritable(_ error: DatabaseError) -> AccountRefusal {
    AccountRefusal(.storage, "cannot write the accounts: \(text(of: error))")
  }
}
