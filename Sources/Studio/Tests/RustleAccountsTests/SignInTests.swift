import Foundation
import Testing

@testable import RustleAccounts

struct SignInTests {
  @Test func whoRegistersIsSignedIn() async throws {
    let test = try await TestAccounts()
    let login = try await test.accounts.register(
      address: " Ada@example.org ", password: TestAccounts.password, from: test.client)
    let signedIn = try #require(try await test.accounts.signedIn(token: login.token))
    #expect(signedIn.account.address == "Ada@example.org" && signedIn.session.agent == "Tests")
    #expect(login.token.utf8.count == 43 && signedIn.session.hash != Data(login.token.utf8))
    #expect(try await test.accounts.signedIn(token: "") == nil)
    #expect(try await test.accounts.signedIn(token: String(login.token.dropLast())) == nil)
    #expect(await refusal { try await test.register("ADA@EXAMPLE.ORG") } == .taken)
  }

  @Test func ofAHundredRegistrationsAtOnceOneIsMade() async throws {
    let test = try await TestAccounts { $0.limits[.signUp] = RateLimit(burst: 200, period: 1) }
    let codes = await withTaskGroup(of: AccountRefusal.Code?.self) { group in
      for index in 0..<100 {
        group.addTask {
          // Turned away by the queue of hashes, they come again.
          while true {
            let code = await refusal {
              try await test.register(index.isMultiple(of: 2) ? "ada@example.org" : "ADA@example.org")
            }
            if code != .busy { return code }
            await Task.yield()
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .taken || $0 == .limit } == 99)
  }

  @Test func anUnknownAddressIsRefusedAsAWrongPasswordIs() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    func error(_ address: String) async -> AccountRefusal? {
      do { _ = try await test.logIn("another password", address) } catch { return error as? AccountRefusal }
      return nil
    }
    let (wrong, unknown) = (await error("ada@example.org"), await error("bob@example.org"))
    #expect(wrong == unknown && wrong?.code == .credentials)
    #expect(try await test.logIn().account.address == "Ada@example.org")
  }

  @Test func aTextThatIsNoAddressIsAnUnknownOne() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register()
    // GRDB binds a text up to its first NUL: each of these would be ada's, with a limit of its own.
    for index in 0..<6 {
      #expect(
        await refusal { try await test.logIn(TestAccounts.password, "ada@example.org\0\(index)") } == .credentials)
    }
    #expect(try await test.accounts.resetToken(address: "ada@example.org\0", from: test.client) == nil)
    #expect(await refusal { try await test.accounts.resetToken(onTerminalFor: "ada@example.org\0") } == .notFound)
    #expect(await refusal { try await test.accounts.store.account(address: "ada@example.org\0") } == .validation)
    for (name, device) in [("eq\0", ""), ("eq", "d\0")] {
      #expect(
        await refusal { try await test.accounts.save(name, base: 0, value: Data(), device: device, ada) } == .validation
      )
    }
  }

  @Test func aLoginReplacesThePresentSession() async throws {
    let test = try await TestAccounts()
    _ = try await test.register()
    let planted = try await test.logIn()
    let login = try await test.accounts.logIn(
      address: "ada@example.org", password: TestAccounts.password, from: test.client, replacing: planted.token)
    #expect(login.token != planted.token)
    #expect(try await test.accounts.signedIn(token: planted.token) == nil)
    #expect(try await test.accounts.signedIn(token: login.token) != nil)
  }

  @Test func aCheaperHashIsReplacedAtTheNextLogin() async throws {
    let test = try await TestAccounts()
    let first = try await test.register()
    let dearer = try await test.reopened { $0.hashMemory = 64 }
    _ = try await dearer.logIn(address: "ada@example.org", password: TestAccounts.password, from: test.client)
    let stored = try await dearer.store.account(id: first.account.id)
    #expect(stored?.password?.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$") == true)
    // The session lives on.
    #expect(try await dearer.sessions(first).count == 2)
  }

  @Test func loginsAtOnceAfterTheCostWasRaisedAllGetIn() async throws {
    let test = try await TestAccounts()
    let first = try await test.register()
    let dearer = try await test.reopened { $0.hashMemory = 64 }
    let stale = try #require(try await dearer.store.account(id: first.account.id))
    let codes = await withTaskGroup(of: AccountRefusal.Code?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          await refusal {
            try await dearer.logIn(address: "ada@example.org", password: TestAccounts.password, from: test.client)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == [nil, nil, nil, nil])
    // One that was verified before the first of them, whichever order they had, and what it confirms.
    let session = dearer.makeSession(stale, test.client)
    let proof = LoginProof.password(generation: stale.generation)
    _ = try await dearer.store.insert(session.session, by: proof, replacing: nil, noting: .test)
    _ = try await dearer.changePassword(
      from: TestAccounts.password, to: "analytical engine", first, client: test.client)
    #expect(
      await refusal { try await dearer.store.insert(session.session, by: proof, replacing: nil, noting: .test) }
        == .credentials)
  }

  @Test func clientsAreKnownByTheirNetwork() {
    func network(_ address: String) -> String { AccountClient(address: address, agent: "").network }
    #expect(network("192.0.2.7") == "192.0.2.7" && network("::ffff:192.0.2.7") == "192.0.2.7")
    #expect(network("2001:DB8:1:2:3:4:5:6") == "2001:db8:1:2::/64" && network("2001:db8:1:2::9") == "2001:db8:1:2::/64")
    #expect(network("::1") == "0:0:0:0::/64" && network("fe80::1%eth0") == "fe80:0:0:0::/64")
    #expect(AccountClient(address: "", agent: "a\r\nb" + String(repeating: "x", count: 300)).agent.count == 200)
  }
}
