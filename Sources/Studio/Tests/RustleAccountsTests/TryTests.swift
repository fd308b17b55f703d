import Foundation
import Testing

@testable import RustleAccounts

struct TryTests {
  @Test func aBusyServerCountsNoTries() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    let gate = DispatchSemaphore(value: 0)
    let codes = await withTaskGroup(of: [AccountRefusal.Code?].self) { group in
      for _ in 0...PasswordHasher.capacity {
        group.addTask {
          if await refusal({ try await test.accounts.hasher.run { gate.wait() } }) == nil { return [] }
          // All the others wait: nothing more is accepted.
          var codes: [AccountRefusal.Code?] = []
          for _ in 0..<8 {
            codes.append(await refusal { try await test.logIn() })
            codes.append(await refusal { try await test.register("bob@example.org") })
          }
          for _ in 0..<PasswordHasher.capacity { gate.signal() }
          return codes
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(codes == Array(repeating: .busy, count: 16))
    _ = try await test.logIn()
  }

  @Test func aBusyServerCountsNoTryBetweenAPasswordAndItsChange() async throws {
    let test = try await TestAccounts { $0.limits[.network] = RateLimit(burst: 1, period: 3_600) }
    let ada = try await test.register()
    for _ in 0..<2 {
      let code = await refusal {
        try await test.accounts.confirm(TestAccounts.password, ada, test.client) {
          throw AccountRefusal(.busy, "expected fewer passwords")
        }
      }
      #expect(code == .busy)
    }
    let changed = try await test.accounts.changePassword(
      from: TestAccounts.password, to: "analytical engine", ada, client: test.client)
    #expect(changed.account.id == ada.account.id)
    #expect(await refusal { try await test.logIn("analytical engine") } == .limit)
  }

  @Test func whoGuessesFromOutsideDoesNotKeepTheOwnerFromTheAccount() async throws {
    let test = try await TestAccounts()
    let first = try await test.register()
    for _ in 0..<5 { _ = await refusal { try await test.logIn("another password") } }
    #expect(await refusal { try await test.logIn() } == .limit)
    func delete(_ password: String) async -> AccountRefusal.Code? {
      await refusal { try await test.accounts.delete(password: password, first, from: test.client) }
    }
    // The session has a limit of its own.
    for _ in 0..<5 { #expect(await delete("another password") == .credentials) }
    #expect(await delete(TestAccounts.password) == .limit)
    test.clock.advance(by: 10)
    #expect(await delete(TestAccounts.password) == nil)
  }

  @Test func bruteForceLeavesTheOwnersSession() async throws {
    let test = try await TestAccounts()
    let first = try await test.register()
    var (refused, limited) = (0, 0)
    for index in 0..<1_000 {
      let code = await refusal { try await test.logIn("guess number \(index)") }
      if code == .credentials { refused += 1 } else if code == .limit { limited += 1 }
      test.clock.advance(by: 0.06)
    }
    #expect(refused <= 11 && refused + limited == 1_000)
    #expect(try await test.accounts.save("eq", base: 0, value: Data(), device: "", first).setting.revision == 1)
  }

  @Test func whoKnowsThePasswordIsNotLimited() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    for _ in 0..<10 { _ = try await test.logIn() }
    for _ in 0..<4 { #expect(await refusal { try await test.logIn("another password") } == .credentials) }
    _ = try await test.logIn()
    #expect(await refusal { try await test.logIn("another password") } == .credentials)
    #expect(await refusal { try await test.logIn() } == .limit)
  }

  @Test func threeMailsAnHourAreSent() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    func count(_ tries: Int) async throws -> Int {
      var count = 0
      for _ in 0..<tries where try await test.accounts.resetToken(address: "ada@example.org", from: test.client) != nil
      { count += 1 }
      return count
    }
    #expect(try await count(10) == 3)
    test.clock.advance(by: 3_600)
    #expect(try await count(10) == 1)
    #expect(try await test.accounts.resetToken(address: "bob@example.org", from: test.client) == nil)
  }

  @Test func limitsOutliveARestart() async throws {
    let test = try await TestAccounts()
    for _ in 0..<5 { _ = await refusal { try await test.logIn() } }
    #expect(await refusal { try await test.logIn() } == .limit)
    try await test.accounts.close()
    let again = try await test.reopened()
    #expect(
      await refusal {
        try await again.logIn(address: "ada@example.org", password: TestAccounts.password, from: test.client)
      } == .limit)
  }
}
