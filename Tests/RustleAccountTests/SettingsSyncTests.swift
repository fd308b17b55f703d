import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import RustleAccount

@Suite(.serialized, .timeLimit(.minutes(5))) struct SettingsSyncTests {
  private static func gains(_ bands: [Int: Float], over other: EqualizerGains = .flat) throws -> EqualizerGains {
    var numbers = other.numbers
    for (band, gain) in bands { numbers[band] = gain }
    return try #require(EqualizerGains(numbers: numbers))
  }

  /// Runs a device, and waits for its first state.
  private func with<Value: Sendable>(
    _ server: ScriptedServer, _ body: (SettingsSync) async throws -> Value
  ) async throws -> Value {
    let sync = SettingsSync(ScriptedLink(server: server, device: 0), waits: (.milliseconds(1), .milliseconds(8)))
    async let _: Void = sync.run()
    try await until { await sync.state?.isConnected == true }
    return try await body(sync)
  }

  @Test func aSaveIsARevisionAndAPushIsAState() async throws {
    let server = ScriptedServer()
    try await with(server) { sync in
      let state = try #require(await sync.save(try Self.gains([3: 1.5])))
      #expect(state.revision == 1 && state.isSaved && state.isConnected && state.conflict == nil)
      try await server.put { $0[20] = -4 }
      for await state in sync.values where state.revision == 2 {
        #expect(state.gains == (try Self.gains([3: 1.5, 20: -4])))
        break
      }
      // What is there already is not sent.
      let count = await server.saveCount
      await sync.save(try Self.gains([3: 1.5, 20: -4]))
      #expect(await server.saveCount == count)
    }
  }

  @Test func bandsOfTwoDevicesAreMerged() async throws {
    let server = ScriptedServer()
    try await with(server) { sync in
      await server.hold()
      async let saved = sync.save(try Self.gains([3: 1]))
      try await until { await server.saveCount == 1 }
      try await server.put { $0[9] = 2 }
      await server.release()
      let state = try #require(try await saved)
      #expect(state.revision == 2 && state.isSaved && state.conflict == nil)
      #expect(await server.saved.gains == (try Self.gains([3: 1, 9: 2])))
    }
  }

  @Test func aServerThatWentBackToABackupIsFollowed() async throws {
    let server = ScriptedServer()
    try await with(server) { sync in
      for gain in [1, 2, 3] { await sync.save(try Self.gains([3: Float(gain)])) }
      await server.restore(SavedGains(revision: 1, gains: try Self.gains([3: 3, 5: 2])))
      let state = try #require(await sync.save(try Self.gains([3: 3, 9: 1])))
      #expect(state.revision == 2 && state.isSaved && state.conflict == nil)
      #expect(await server.saved.gains == (try Self.gains([3: 3, 5: 2, 9: 1])))
    }
  }

  @Test(arguments: ["rustle_session_8420=a-_b", "__Host-rustle_session=c", "__Host-rustle_session_8443=d"])
  func theCookieOfASessionIsFound(cookie: String) throws {
    let url = try #require(URL(string: "http://127.0.0.1:8420/"))
    func answer(_ header: String) throws -> AccountServer.Answer {
      let response = HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Set-Cookie": header])
      return AccountServer.Answer(response: try #require(response), body: Data())
    }
    #expect(try answer("a=b; Path=/, \(cookie); HttpOnly").sessionCookie == cookie)
    #expect(try answer("\(cookie); HttpOnly").sessionCookie == cookie)
    #expect(try answer("x\(cookie); HttpOnly").sessionCookie == nil)
    #expect(try answer("rustle_session_8420=; HttpOnly").sessionCookie == nil)
  }

  @Test(arguments: [
    (401, "refused", AccountError.Code.refused), (401, "signedOut", .signedOut), (401, "credentials", .signedOut),
    (403, "refused", .refused), (429, "limit", .limited), (503, "busy", .limited), (400, "validation", .validation),
    (413, "validation", .validation),
  ])
  func aRefusalIsKnownByItsCode(status: Int, code: String, expected: AccountError.Code) throws {
    let error = try refusal(status, code)
    #expect(error.code == expected && error.isRetryable == (expected == .limited))
  }

  /// The error of a server's answer.
  private func refusal(_ status: Int, _ code: String) throws -> AccountError {
    let url = try #require(URL(string: "http://127.0.0.1:8420/"))
    let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
    let body = Data(#"{"v":1,"error":{"code":"\#(code)","message":"expected something else"}}"#.utf8)
    let answer = AccountServer.Answer(response: try #require(response), body: body)
    return try #require(throws: AccountError.self) { try AccountServer.check(answer) }
  }

  @Test(arguments: [(502, true), (503, true), (504, true), (429, true), (404, false), (302, false)])
  func aProxyThatAnswersForTheServerIsNotTheEnd(status: Int, isRetryable: Bool) throws {
    let url = try #require(URL(string: "http://127.0.0.1:8420/"))
    let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
    let page = Data("<html><body><h1>\(status) Bad Gateway</h1></body></html>".utf8)
    let answer = AccountServer.Answer(response: try #require(response), body: page)
    let error = #expect(throws: AccountError.self) { try AccountServer.check(answer) }
    #expect(error?.isRetryable == isRetryable && error?.code == (isRetryable ? .unreachable : .response))
  }

  /// The page of a hotspot, say.
  @Test func whoAnswersInBetweenIsWaitedOut() async throws {
    let server = ScriptedServer()
    try await with(server) { sync in
      await server.end(AccountServer.malformed)
      #expect(await sync.save(try Self.gains([3: 1]))?.isSaved == false)
      try await until { await sync.state?.isConnected == false }
      let tries = await server.tries
      try await until { await server.tries > tries + 1 }
      await server.resume()
      try await until {
        let state = await sync.state
        return state?.isSaved == true && state?.isConnected == true
      }
      #expect(await server.saved.gains == (try Self.gains([3: 1])))
    }
    // One that was never a studio is no studio.
    await server.end(AccountServer.malformed)
    let stranger = SettingsSync(ScriptedLink(server: server, device: 1))
    let error = await #expect(throws: AccountError.self) { try await stranger.run() }
    #expect(error?.code == .response)
  }

  @Test(arguments: [true, false]) func aBandThatBothChangedIsAskedAbout(keepingOwn: Bool) async throws {
    let server = ScriptedServer()
    try await with(server) { sync in
      await server.hold()
      async let saved = sync.save(try Self.gains([3: 1, 5: 7]))
      try await until { await server.saveCount == 1 }
      try await server.put { ($0[3], $0[9]) = (-2, 2) }
      await server.release()
      let state = try #require(try await saved)
      #expect(state.revision == 1 && !state.isSaved && state.conflict?.bands == [3])
      #expect(state.gains == (try Self.gains([3: 1, 5: 7, 9: 2])))
      #expect(state.conflict?.theirs == (try Self.gains([3: -2, 5: 7, 9: 2])))
      // Nothing is sent before the answer.
      #expect(await server.saved.gains == (try Self.gains([3: -2, 9: 2])))
      let answered = try #require(await sync.resolve(keepingOwn: keepingOwn))
      #expect(answered.revision == 2 && answered.isSaved && answered.conflict == nil)
      #expect(await server.saved.gains == (try Self.gains([3: keepingOwn ? 1 : -2, 5: 7, 9: 2])))
    }
  }

  @Test(arguments: ScriptedServer.Fate.allCases) func whatHasNoAnswerIsSavedLater(fate: ScriptedServer.Fate)
    async throws
  {
    let server = ScriptedServer()
    try await with(server) { sync in
      await server.script([fate])
      await sync.save(try Self.gains([3: 1]))
      // The device goes on before it knows.
      await sync.save(try Self.gains([3: 4]))
      try await until { await sync.state?.isSaved == true }
      #expect(await server.saved.gains == (try Self.gains([3: 4])))
      #expect(await sync.state?.conflict == nil)
    }
  }

  @Test func aLostConnectionIsMadeAnew() async throws {
    let server = ScriptedServer()
    try await with(server) { sync in
      await server.cut(0)
      try await server.put { $0[0] = 3 }
      try await until {
        let state = await sync.state
        return state?.gains.left[0] == 3 && state?.isConnected == true
      }
    }
  }

  @Test func theEndOfTheSessionEndsTheRun() async throws {
    let server = ScriptedServer()
    let sync = SettingsSync(ScriptedLink(server: server, device: 0), waits: (.milliseconds(1), .milliseconds(8)))
    let running = Task { () async -> AccountError? in
      do throws(AccountError) {
        try await sync.run()
        return nil
      } catch { return error }
    }
    try await until { await sync.state?.isConnected == true }
    await server.end(.signedOut)
    #expect(await running.value?.code == .signedOut)
    #expect(await sync.state?.isConnected == false)
    // Who reads the values goes on to what the run has thrown.
    var last: SettingsSync.State?
    for await state in sync.values { last = state }
    #expect(last?.isConnected == false)
  }

  @Test func aDeviceRunsOnce() async throws {
    let server = ScriptedServer()
    try await with(server) { sync in
      let error = await #expect(throws: AccountError.self) { try await sync.run() }
      #expect(error?.code == .validation)
      #expect(await sync.save(try Self.gains([3: 1]))?.isSaved == true)
      await server.end(.signedOut)
      try await until { await sync.state?.isConnected == false }
      // After the end it runs again.
      #expect(await #expect(throws: AccountError.self) { try await sync.run() }?.code == .signedOut)
    }
  }

  @Test(arguments: ScriptedServer.Fate.allCases)
  func aBandThatGoesBackWhileItIsSavedEndsThere(fate: ScriptedServer.Fate) async throws {
    let server = ScriptedServer()
    try await with(server) { sync in
      await server.script([fate])
      await server.hold()
      async let first = sync.save(try Self.gains([3: 1]))
      try await until { await server.saveCount == 1 }
      async let second = sync.save(.flat)
      try await until { await sync.state?.gains == .flat }
      await server.release()
      _ = try await (first, second)
      try await until { await sync.state?.isSaved == true }
      #expect(await server.saved.gains == .flat)
      #expect(await sync.state?.gains == .flat)
    }
  }

  /// The server had it, and another device has saved another band meanwhile.
  @Test func aBandThatGoesBackAfterALostAnswerIsAskedAbout() throws {
    var draft = GainDraft(SavedGains(revision: 0, gains: .flat))
    draft.change(try Self.gains([3: 1]))
    let sent = draft.send()
    draft.change(.flat)
    let (moved, theirs) = (try Self.gains([3: 1]), try Self.gains([3: 1, 9: 2]))
    #expect(sent == moved && draft.due == .flat)
    draft.rebase(SavedGains(revision: 2, gains: theirs))
    let merged = try Self.gains([9: 2])
    #expect(draft.gains == merged && draft.asked == [3])
  }

  /// However much is changed without a connection.
  @Test(arguments: [false, true]) func whatHasNoAnswerIsOneValueThatGoesAgain(isStored: Bool) throws {
    var draft = GainDraft(SavedGains(revision: 0, gains: .flat))
    let first = try Self.gains([3: 0.125])
    for step in 1...50 {
      draft.change(try Self.gains([3: Float(step) / 8]))
      #expect(draft.send() == first)
    }
    draft.change(.flat)
    #expect(draft.send() == first)
    // The server refuses it as that of another revision, which may be itself; or saves it now.
    if isStored { draft.refuse(SavedGains(revision: 1, gains: first)) } else { draft.accept(1, first) }
    #expect(draft.asked.isEmpty && draft.send() == .flat)
    draft.accept(2, .flat)
    #expect(draft.local == nil && draft.send() == nil)
  }

  @Test func whatTheServerRefusesCanBeTakenBack() async throws {
    let server = ScriptedServer()
    try await with(server) { sync in
      await server.refuseSaves(AccountError(.refused, "expected something else", advice: ""))
      let moved = try Self.gains([3: 1])
      #expect(await sync.save(moved)?.isSaved == false)
      let count = await server.saveCount
      #expect(await sync.save(.flat)?.isSaved == true)
      #expect(await server.saveCount == count)
    }
  }

  /// A value that the server does not take would have been refused the first time as well: it is not there.
  @Test(arguments: [(400, true), (413, true), (403, false)]) func whatIsUnfitMakesWay(status: Int, isUnfit: Bool)
    async throws
  {
    let error = try refusal(status, "validation")
    let (server, unfit, fit) = (ScriptedServer(), try Self.gains([3: 1]), try Self.gains([3: 2]))
    try await with(server) { sync in
      await server.script([.lost])
      await server.refuseSaves(error, of: unfit)
      #expect(await sync.save(unfit)?.isSaved == false)
      // It goes again, as the server may have it.
      try await until { await server.saveCount > 1 }
      await sync.flush()
      #expect(await sync.save(fit)?.isSaved == isUnfit)
      #expect(await server.saved.gains == (isUnfit ? fit : .flat))
    }
  }

  @Test func aRevisionThatArrivesBeforeASaveThatIsTakenBackIsTaken() async throws {
    try await with(ScriptedServer()) { sync in
      let newer = SavedGains(revision: 7, gains: try Self.gains([9: 2]))
      await sync.takeBack(try Self.gains([3: 1]), receiving: newer)
      let state = try #require(await sync.state)
      #expect(state.revision == 7 && state.gains == newer.gains && state.isSaved)
    }
  }

  /// What is changed before the first revision arrives changes no other band of it, and asks about a band that another device changed.
  @Test(arguments: 0..<100) func earlySavesOverwriteNothing(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    func changed(_ gains: EqualizerGains) throws -> EqualizerGains {
      try Self.gains(
        [Int.random(in: 0..<4, using: &random): Float(Int.random(in: -2...2, using: &random))], over: gains)
    }
    let server = ScriptedServer()
    let count = Int.random(in: 0..<4, using: &random)
    for _ in 0..<count {
      let next = try changed(await server.saved.gains).numbers
      try await server.put { $0 = next }
    }
    let theirs = await server.saved.gains
    let shown = try changed(try changed(.flat))
    var mine = shown
    let sync = SettingsSync(ScriptedLink(server: server, device: 0), waits: (.milliseconds(1), .milliseconds(8)))
    for _ in 0..<Int.random(in: 1..<4, using: &random) {
      let next = try changed(mine)
      #expect(await sync.save(next, over: mine) == nil)
      mine = next
    }
    async let _: Void = sync.run()
    try await until {
      let state = await sync.state
      return state?.isConnected == true && (state?.isSaved == true || state?.conflict != nil)
    }
    let moved = mine.differences(from: shown)
    let wanted = theirs.replacing(moved, by: mine)
    let asked =
      count == 0
      ? [] : moved.intersection(theirs.differences(from: shown)).intersection(wanted.differences(from: theirs))
    let state = try #require(await sync.state)
    #expect(state.gains == wanted && Set(state.conflict?.bands ?? []) == asked)
    #expect(await server.saved.gains == (asked.isEmpty ? wanted : theirs))
    let keepingOwn = Bool.random(using: &random)
    await sync.resolve(keepingOwn: keepingOwn)
    #expect(await server.saved.gains == (keepingOwn ? wanted : wanted.replacing(asked, by: theirs)))
  }

  @Test func gainsAreChecked() {
    for bad in [
      Array(repeating: Float(0), count: 13), Array(repeating: 12.5, count: 14), Array(repeating: .nan, count: 14),
    ] {
      let error = #expect(throws: AccountError.self) {
        _ = try EqualizerGains(left: bad, right: EqualizerGains.flat.right)
      }
      #expect(error?.code == .validation)
    }
  }

  @Test func serversAreAddresses() async {
    let error = await #expect(throws: AccountError.self) {
      _ = try await AccountSession.logIn(to: URL(filePath: "/tmp"), email: "a", password: "b")
    }
    #expect(error?.code == .validation)
  }
}

extension SettingsSync {
  /// Begins to save gains over flat ones, and is flat again before anything is sent; meanwhile a revision arrives.
  fileprivate func takeBack(_ gains: EqualizerGains, receiving newer: SavedGains) async {
    change(gains, over: .flat)
    // The actor takes them in this order, and behind both what the first one begins.
    let saving = Task { await flush() }
    let meanwhile = Task {
      receive(newer)
      change(.flat, over: gains)
    }
    await meanwhile.value
    await saving.value
  }
}
