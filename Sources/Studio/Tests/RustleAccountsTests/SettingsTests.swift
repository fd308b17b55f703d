import Foundation
import Synchronization
import Testing

@testable import RustleAccounts

struct SettingsTests {
  @Test func ofTwoSavesWithOneRevisionOneIsStored() async throws {
    let test = try await TestAccounts { $0.limits[.save] = RateLimit(burst: 10_000, period: 1) }
    let ada = try await test.register()
    for base in 0..<20 {
      let results = try await withThrowingTaskGroup(of: SettingSave.self) { group in
        for writer in 0..<8 {
          group.addTask {
            try await test.accounts.save(
              "eq", base: Int64(base), value: Data([UInt8(writer)]), device: "\(writer)", ada)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let saved = results.filter { if case .saved = $0 { true } else { false } }
      #expect(saved.count == 1)
      // The others get what is there.
      #expect(Set(results.map(\.setting)) == [saved[0].setting] && saved[0].setting.revision == Int64(base + 1))
    }
  }

  @Test func savesAreReportedInTheOrderOfTheirRevisions() async throws {
    let test = try await TestAccounts { $0.limits[.save] = RateLimit(burst: 10_000, period: 1) }
    let (ada, bob) = (try await test.register(), try await test.register("bob@example.org"))
    let reported = Mutex<[Int64]>([])
    let strangers = Mutex(0)
    _ = try await test.accounts.subscribe(ada) { event in
      if case .setting(let setting) = event { reported.withLock { $0.append(setting.revision) } }
    }
    _ = try await test.accounts.subscribe(bob) { _ in strangers.withLock { $0 += 1 } }
    try await withThrowingTaskGroup { group in
      for writer in 0..<8 {
        group.addTask {
          var revision: Int64 = 0
          for _ in 0..<25 {
            while case .conflict(let present) = try await test.accounts.save(
              "eq", base: revision, value: Data([UInt8(writer)]), device: "", ada)
            { revision = present.revision }
            revision += 1
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(reported.withLock { $0 } == Array(1...200))
    #expect(strangers.withLock { $0 } == 0)
  }

  @Test func aDeletedSettingKeepsItsRevision() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register()
    _ = try await test.accounts.save("tuner", base: 0, value: Data("{}".utf8), device: "", ada)
    _ = try await test.accounts.save("tuner", base: 1, value: nil, device: "", ada)
    #expect(try await test.accounts.settings(ada).isEmpty)
    // A device that was away does not bring it back unknowingly.
    let late = try await test.accounts.save("tuner", base: 1, value: Data("{}".utf8), device: "", ada)
    #expect(late == .conflict(Setting(name: "tuner", revision: 2, changed: Int64(test.clock.now))))
  }

  @Test func anAccountHasSoManySettings() async throws {
    let test = try await TestAccounts { $0.limits[.save] = RateLimit(burst: 10_000, period: 1) }
    let ada = try await test.register()
    for index in 0..<Accounts.maximumSettingCount {
      _ = try await test.accounts.save("\(index)", base: 0, value: Data(), device: "", ada)
    }
    #expect(
      await refusal { try await test.accounts.save("one more", base: 0, value: Data(), device: "", ada) } == .validation
    )
    #expect(try await test.accounts.save("0", base: 1, value: Data(), device: "", ada).setting.revision == 2)
    // A deleted one makes room, and comes back only when there is some.
    _ = try await test.accounts.save("0", base: 2, value: nil, device: "", ada)
    #expect(
      try await test.accounts.save("one more", base: 0, value: Data(), device: "", ada).setting.revision == 1)
    #expect(await refusal { try await test.accounts.save("0", base: 3, value: Data(), device: "", ada) } == .validation)
    #expect(try await test.accounts.save("one more", base: 1, value: Data(), device: "", ada).setting.revision == 2)
  }

  @Test func twentySavesASecondAreTaken() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register()
    var count = 0
    for base in 0..<40 {
      if await refusal({ try await test.accounts.save("eq", base: Int64(base), value: Data(), device: "", ada) }) == nil
      {
        count += 1
      }
    }
    #expect(count == 20)
  }

  @Test func whatIsReadCountsByItsSize() async throws {
    let test = try await TestAccounts {
      $0.limits[.save] = RateLimit(burst: 100, period: 1)
      $0.limits[.read] = RateLimit(burst: 8, period: 1)
    }
    let (ada, bob) = (try await test.register(), try await test.register("bob@example.org"))
    for index in 0..<3 {
      let value = Data(count: Accounts.readLength)
      _ = try await test.accounts.save("\(index)", base: 0, value: value, device: "", ada)
    }
    func isRefused(_ read: () async throws -> some Any) async -> Bool { await refusal(read) == .limit }
    // Two of all with 3 each, two of one.
    for _ in 0..<2 { #expect(try await test.accounts.settings(ada).count == 3) }
    for _ in 0..<2 { #expect(try await test.accounts.setting("0", ada).revision == 1) }
    #expect(await isRefused { try await test.accounts.setting("0", ada) })
    #expect(await isRefused { try await test.accounts.settings(ada) })
    #expect(await isRefused { try await test.accounts.allSettings(ada) })
    // For the revisions that a socket sends one value is read.
    let known = try await test.accounts.settings(ada, valueOf: "1")
    #expect(known.map(\.value?.count) == [nil, Accounts.readLength, nil] && known.map(\.revision) == [1, 1, 1])
    #expect(try await test.accounts.settings(bob).isEmpty)
    test.clock.advance(by: 1)
    #expect(await isRefused { try await test.accounts.settings(ada) })
    test.clock.advance(by: 2)
    #expect(try await test.accounts.settings(ada).count == 3)
  }

  @Test func previewsGoToTheOthers() async throws {
    let test = try await TestAccounts()
    let ada = try await test.register()
    let reported = Mutex<[String]>([])
    let own = try await test.accounts.subscribe(ada) { _ in reported.withLock { $0.append("own") } }
    _ = try await test.accounts.subscribe(ada) { _ in reported.withLock { $0.append("other") } }
    test.accounts.preview("eq", base: 0, value: Data(), device: "a", from: own, ada)
    #expect(reported.withLock { $0 } == ["other"])
  }

  @Test func gainsSurviveTextAndBytes() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let bands = (0..<EqualizerValue.count).map { _ -> Float in
        while true {
          let value = Float(bitPattern: random.next())
          if EqualizerValue.range.contains(value) { return value }
        }
      }
      let value = try #require(EqualizerValue(bands))
      let bits = bands.map(\.bitPattern)
      #expect(EqualizerValue(bytes: value.bytes)?.bands.map(\.bitPattern) == bits)
      let text = try JSONEncoder().encode(value.numbers)
      let read = try JSONDecoder().decode([Double].self, from: text).map { Float($0) }
      #expect(read.map(\.bitPattern) == bits)
    }
    #expect(
      try String(decoding: JSONEncoder().encode([0.3 as Float].map { Double("\($0)") }), as: UTF8.self) == "[0.3]")
    for bad in [
      [], [Float](repeating: 0, count: 27), [Float](repeating: 12.1, count: 28), [Float](repeating: .nan, count: 28),
    ] {
      #expect(EqualizerValue(bad) == nil)
    }
    #expect(EqualizerValue(bytes: Data()) == nil && EqualizerValue.flat.bytes == Data(repeating: 0, count: 112))
  }
}
