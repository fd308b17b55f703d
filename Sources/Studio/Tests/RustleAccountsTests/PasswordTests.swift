import Foundation
import Synchronization
import Testing

@testable import RustleAccounts

struct PasswordTests {
  private static let cheap = Sodium.Cost(memory: 8, passes: 1)
  // Of argon2-cffi, with the salt 0123456789abcdef.
  private static let foreign = [
    "$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$EhjYsJpDlRzaGeFsTWJSULQG5Q9ngCuHIUeGXRyqbrk",
    "$argon2id$v=19$m=128,t=3,p=1$MDEyMzQ1Njc4OWFiY2RlZg$+NaSjgcwwf73LwrrtYCcB0gkGgMEDfAIRzSPP96Mpg4",
  ]

  @Test func hashesAreThoseOfOtherCode() {
    for hash in Self.foreign {
      #expect(Sodium.isPassword(Array("grün, 8 chars".utf8), of: hash))
      #expect(!Sodium.isPassword(Array("grün, 8 char".utf8), of: hash) && PasswordHasher.bearableCost(of: hash) != nil)
    }
    #expect(Sodium.sha256(Data("abc".utf8)).hexadecimal.hasPrefix("ba7816bf8f01cfea414140de5dae2223"))
  }

  @Test func aHashCostsMoreThanOWASPDemands() async throws {
    let configuration = Accounts.Configuration()
    let cost = Sodium.Cost(memory: configuration.hashMemory, passes: configuration.hashPasses)
    let hasher = PasswordHasher(cost: cost, pepper: nil)
    let hash = try await hasher.hash("correct horse")
    #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=12,p=1$") && !hasher.isOutdated(hash))
    #expect(try await hasher.verify("correct horse", hash))
  }

  @Test func thePasswordIsNormalizedAndNotTruncated() async throws {
    let hasher = PasswordHasher(cost: Self.cheap, pepper: nil)
    let hash = try await hasher.hash("\u{E9}cole \u{1F511}")
    #expect(try await hasher.verify("e\u{301}cole \u{1F511}", hash))
    let long = String(repeating: "ä", count: 512)
    let longHash = try await hasher.hash(long)
    #expect(try await hasher.verify(long, longHash))
    #expect(try await !hasher.verify(String(long.dropLast()) + "a", longHash))
    #expect(try await !hasher.verify(long + "\0", longHash))
    #expect(try await !hasher.verify("", nil))
  }

  @Test func aPepperIsNeededForItsHashes() async throws {
    let plain = PasswordHasher(cost: Self.cheap, pepper: nil)
    let peppered = PasswordHasher(cost: Self.cheap, pepper: Data(repeating: 7, count: 32))
    let hash = try await peppered.hash("correct horse")
    #expect(try await peppered.verify("correct horse", hash))
    #expect(try await !plain.verify("correct horse", hash))
  }

  @Test func everyFailedCheckIsTheSameWork() async throws {
    let checks = Mutex<[Sodium.Cost]>([])
    let today = Sodium.Cost(memory: 64, passes: 4)
    let hasher = PasswordHasher(cost: today, pepper: nil) { cost in checks.withLock { $0.append(cost) } }
    func work(_ password: String, _ hash: String?) async throws -> Int {
      checks.withLock { $0 = [] }
      _ = try await hasher.verify(password, hash)
      return checks.withLock { $0.reduce(0) { $0 + $1.memory * $1.passes } }
    }
    let unknown = try await work("wrong horse", nil)
    #expect(unknown == 64 * 4)
    for former in [today, Sodium.Cost(memory: 64, passes: 1), Sodium.Cost(memory: 8, passes: 8)] {
      let hash = try await PasswordHasher(cost: former, pepper: nil).hash("correct horse")
      #expect(try await work("wrong horse", hash) == unknown, "\(former)")
      // The right one is hashed anew by the login.
      #expect(try await work("correct horse", hash) == former.memory * former.passes)
    }
    #expect(try await work("wrong horse", "no hash") == unknown)
    #expect(try await !hasher.verify("wrong horse", "no hash"))
  }

  @Test func hashesOfAbsurdCostAreRefused() {
    for hash in [
      "$argon2id$v=19$m=4194304,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaA", "$argon2id$v=19$m=64,t=1000000,p=1$c2FsdA$aGFzaA",
      "$argon2i$v=19$m=64,t=1,p=1$c2FsdA$aGFzaA", "$argon2id$v=19$m=64,t=1,p=1", "", "$argon2id$v=19$m=,t=1,p=1$a$b",
      "$argon2id$v=19$m=-1,t=1,p=1$a$b",
    ] { #expect(PasswordHasher.bearableCost(of: hash) == nil, "\(hash)") }
  }

  @Test func moreThanEightAtOnceAreTurnedAway() async throws {
    let hasher = PasswordHasher(cost: Self.cheap, pepper: nil)
    let gate = DispatchSemaphore(value: 0)
    let refused = await withTaskGroup(of: AccountRefusal?.self) { group in
      for _ in 0...PasswordHasher.capacity {
        group.addTask {
          do {
            try await hasher.run { gate.wait() }
            return nil
          } catch {
            // Only now do the others go on.
            for _ in 0..<PasswordHasher.capacity { gate.signal() }
            return error as? AccountRefusal
          }
        }
      }
      return await group.reduce(into: [AccountRefusal]()) { if let error = $1 { $0.append(error) } }
    }
    #expect(refused.map(\.status) == [503] && refused.map(\.retryAfter) == [1])
    #expect(try await hasher.verify("correct horse", try await hasher.hash("correct horse")))
  }

  @Test func newPasswordsFollowTheRules() {
    func fault(_ password: String, _ address: String = "ada.lovelace@example.org") -> String? {
      do { try AccountRules.check(password: password, address: address) } catch {
        return (error as? AccountRefusal)?.field
      }
      return nil
    }
    for good in ["analytical engine", "ÄÖÜäöüßẞ", "        ", "ada.lovelace.x", String(repeating: "a1", count: 512)] {
      #expect(fault(good) == nil, "\(good.prefix(20))")
    }
    for bad in [
      "", "1234567", "e\u{301}e\u{301}e\u{301}e\u{301}", "password", "Password1", "QWERTY123", "trustno1",
      "Ada.Lovelace",
      "ADA.lovelace@example.org", String(repeating: "a1", count: 512) + "x",
    ] { #expect(fault(bad) == "password", "\(bad.prefix(20))") }
    #expect(CommonPasswords.count >= 3_000)
  }

  @Test func addressesHaveOneAt() throws {
    #expect(try AccountRules.address("  Ada+x@Example.org\n") == "Ada+x@Example.org")
    for bad in [
      "", "ada", "ada@", "@b", "a@b@c", "a b@c", "a@b\u{0}", "<a@b>", "a@b,c@d", "a\r\nX: y@b",
      String(repeating: "a", count: 250) + "@b.de",
    ] {
      #expect(throws: AccountRefusal.self, "\(bad)") { try AccountRules.address(bad) }
    }
  }
}
