internal import Foundation
internal import Synchronization

/// Hashes passwords on a thread of its own, one at a time: two logins would otherwise keep both cores, and every actor, waiting.
final class PasswordHasher: Sendable {
  /// Passwords that wait and the one at work.
  static let capacity = 8
  /// The greatest cost of a hash that is verified: one that came with a file may have any.
  static let maximumCost = Sodium.Cost(memory: 1 << 20, passes: 16)

  private let cost: Sodium.Cost
  private let pepper: Data?
  private let queue = DispatchQueue(label: "rustle.passwords")
  private let waiting = Mutex(0)
  /// What an unknown address is verified against, so that it takes as long as a known one. It is there before the first one is.
  private let dummy = Mutex("")

  init(cost: Sodium.Cost, pepper: Data?) {
    (self.cost, self.pepper) = (cost, pepper)
    queue.async { [self] in
      guard let hash = try? Self.hash(Array(Sodium.random(32)), cost, pepper) else { return }
      dummy.withLock { $0 = hash }
    }
  }

  /// The hash of a password.
  func hash(_ password: String) async throws -> String {
    let (cost, pepper) = (cost, pepper)
    return try await run { try Self.hash(Array(password.normalized.utf8), cost, pepper) }
  }

  /// Whether a hash is the password's; false without a hash, after the same work.
  func verify(_ password: String, _ hash: String?) async throws -> Bool {
    let isRight = try await run { [self] in
      let stored = hash ?? dummy.withLock(\.self)
      guard Self.isBearable(stored) else { return false }
      return Sodium.isPassword(Self.peppered(Array(password.normalized.utf8), pepper), of: stored)
    }
    return isRight && hash != nil
  }

  /// Whether a hash is to be replaced by one of today's cost.
  func isOutdated(_ hash: String) -> Bool { Sodium.needsRehash(hash, cost: cost) }

  /// Whether a hash is of Argon2id and of a cost that a server bears.
  static func isBearable(_ hash: String) -> Bool {
    let parts = hash.split(separator: "$")
    guard parts.count == 5, parts[0] == "argon2id", parts[1] == "v=19" else { return false }
    var values: [Substring: Int] = [:]
    for pair in parts[2].split(separator: ",") {
      let sides = pair.split(separator: "=")
      guard sides.count == 2, let number = Int(sides[1]) else { return false }
      values[sides[0]] = number
    }
    guard let memory = values["m"], let passes = values["t"], values["p"] == 1 else { return false }
    return (1...maximumCost.memory).contains(memory) && (1...maximumCost.passes).contains(passes)
  }

  private static func hash(_ password: [UInt8], _ cost: Sodium.Cost, _ pepper: Data?) throws -> String {
    guard let hash = Sodium.passwordHash(peppered(password, pepper), cost: cost) else {
      throw AccountRefusal(.busy, "expected memory of \(cost.memory) KiB for a password's hash", retryAfter: 1)
    }
    return hash
  }

  private static func peppered(_ password: [UInt8], _ pepper: Data?) -> [UInt8] {
    pepper.map { Sodium.authenticationCode(of: password, key: $0) } ?? password
  }

  /// Does work on the thread; throws when as much waits as may.
  func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    let isAccepted = waiting.withLock { count in
      guard count < Self.capacity else { return false }
      count += 1
      return true
    }
    guard isAccepted else {
      throw AccountRefusal(.busy, "expected at most \(Self.capacity) passwords to be checked at once", retryAfter: 1)
    }
    return try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        let result = Swift.Result { try work() }
        waiting.withLock { $0 -= 1 }
        continuation.resume(with: result)
      }
    }
  }
}

extension String {
  /// In Unicode's normalization form C: the same password typed on two systems has one form.
  var normalized: String { precomposedStringWithCanonicalMapping }
}
