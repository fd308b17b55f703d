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
  /// Called with the cost of each hash that is computed for a check.
  private let onCheck: @Sendable (Sodium.Cost) -> Void
  /// What an unknown address is verified against, so that it takes as long as a known one. It is there before the first one is.
  private let dummy = Mutex("")

  init(cost: Sodium.Cost, pepper: Data?, onCheck: @escaping @Sendable (Sodium.Cost) -> Void = { _ in }) {
    (self.cost, self.pepper, self.onCheck) = (cost, pepper, onCheck)
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
      let bytes = Self.peppered(Array(password.normalized.utf8), pepper)
      let stored = hash ?? dummy.withLock(\.self)
      if let cost = Self.bearableCost(of: stored) {
        onCheck(cost)
        if Sodium.isPassword(bytes, of: stored) { return true }
      }
      // A hash of former days costs less, by which its address would differ from an unknown one.
      if let rest = rest(after: stored) {
        onCheck(rest)
        _ = Sodium.passwordHash(bytes, cost: rest)
      }
      return false
    }
    return isRight && hash != nil
  }

  /// What a check of a hash lacks of the work of today's cost, to the pass; nil: nothing.
  private func rest(after hash: String) -> Sodium.Cost? {
    let done = Self.bearableCost(of: hash).map { $0.memory * $0.passes } ?? 0
    let passes = (cost.memory * cost.passes - done + cost.memory / 2) / cost.memory
    return passes > 0 ? Sodium.Cost(memory: cost.memory, passes: passes) : nil
  }

  /// Whether a hash is to be replaced by one of today's cost.
  func isOutdated(_ hash: String) -> Bool { Sodium.needsRehash(hash, cost: cost) }

  /// The cost of a hash; nil: it is not of Argon2id, or costs more than a server bears.
  static func bearableCost(of hash: String) -> Sodium.Cost? {
    let parts = hash.split(separator: "$")
    guard parts.count == 5, parts[0] == "argon2id", parts[1] == "v=19" else { return nil }
    var values: [Substring: Int] = [:]
    for pair in parts[2].split(separator: ",") {
      let sides = pair.split(separator: "=")
      guard sides.count == 2, let number = Int(sides[1]) else { return nil }
      values[sides[0]] = number
    }
    guard let memory = values["m"], let passes = values["t"], values["p"] == 1 else { return nil }
    guard (1...maximumCost.memory).contains(memory), (1...maximumCost.passes).contains(passes) else { return nil }
    return Sodium.Cost(memory: memory, passes: passes)
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
