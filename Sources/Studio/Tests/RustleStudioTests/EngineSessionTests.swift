import Foundation
import Rustle
import StudioCore
import Testing

@testable import RustleStudio

/// Each engine has one session, from its first client to its last, with clients that have no socket.
@MainActor
struct EngineSessionTests {
  private let studio: Studio

  init() throws {
    studio = try Self.studio(linger: .milliseconds(1))
    try studio.sound.select(.device(AudioDevice.demo.name), of: "demo")
  }

  private func client(_ topics: Topic..., of other: Studio? = nil) async -> Client {
    let studio = other ?? studio
    let client = studio.hub.join(canAct: true)
    let names = topics.map { "\"\($0.name)\"" }.joined(separator: ",")
    await studio.receive(Array(#"{"v":1,"subscribe":[\#(names)]}"#.utf8), from: client, nil)
    return client
  }

  private static func studio(linger: Duration) throws -> Studio {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString)")
    return try Studio(recordings: folder, show: StudioShow(), prices: [], camera: nil, linger: linger)
  }

  private func leave(_ client: Client) async {
    studio.hub.leave(client)
    await studio.left(client)
  }

  /// Waits for a state that comes by itself.
  private func wait(_ isTrue: () -> Bool, _ place: SourceLocation = #_sourceLocation) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while !isTrue() {
      try #require(ContinuousClock.now < end, sourceLocation: place)
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Waits for a value of a topic, and returns its number.
  private func next(_ topic: Topic, of client: Client) async throws -> UInt32 {
    var number: UInt32?
    try await wait {
      number = client.take().values.last { $0.frame.topic == topic }?.frame.sequence
      return number != nil
    }
    return try #require(number)
  }

  @Test func oneAnalyzerServesAllClientsAndEndsWithTheLast() async throws {
    let sound = studio.sound
    #expect(!sound.isAnalyzed(for: .meter) && sound.fan.readerCount == 0)
    let first = await client(.meter)
    try await wait { sound.isAnalyzed(for: .meter) && sound.fan.readerCount == 1 }
    var others: [Client] = []
    for _ in 0..<20 { others.append(await client(.meter)) }
    for each in [first] + others { _ = try await next(.meter, of: each) }
    // One reader hears the sound, however many clients there are.
    #expect(sound.fan.readerCount == 1)
    await leave(first)
    for each in others.dropLast() { await leave(each) }
    let last = try #require(others.last)
    let before = try await next(.meter, of: last)
    #expect(try await next(.meter, of: last) > before)
    #expect(sound.isAnalyzed(for: .meter))
    await leave(last)
    try await wait { !sound.isAnalyzed(for: .meter) && sound.fan.readerCount == 0 }
    await studio.stop()
  }

  @Test func eachTopicHasAnAnalyzerOfItsOwn() async throws {
    let sound = studio.sound
    let (meter, both) = (await client(.meter), await client(.meter, .spectrum))
    try await wait { sound.fan.readerCount == 2 }
    for topic in [Topic.meter, .spectrum] { _ = try await next(topic, of: both) }
    // Whoever is paused wants nothing.
    await studio.receive(Array(#"{"v":1,"pause":true}"#.utf8), from: both, nil)
    try await wait { !sound.isAnalyzed(for: .spectrum) && sound.fan.readerCount == 1 }
    #expect(sound.isAnalyzed(for: .meter))
    await leave(meter)
    try await wait { !sound.isAnalyzed(for: .meter) }
    await studio.stop()
  }

  @Test func aClientThatComesBackInTimeFindsTheSameSession() async throws {
    let patient = try Self.studio(linger: .seconds(3_600))
    let first = await client(.tempo, of: patient)
    let before = try await next(.tempo, of: first)
    patient.hub.leave(first)
    // It waits for the hour.
    let leaving = Task { await patient.left(first) }
    // After an action the studio knows that nobody wants beats.
    _ = try await patient.perform("lights/unattended", ["do": "hold"], by: nil)
    // Time for an end that comes too early.
    try await Task.sleep(for: .milliseconds(50))
    let second = await client(.tempo, of: patient)
    #expect(try await next(.tempo, of: second) > before)
    #expect(patient.isBeating && patient.beatStartCount == 1)
    leaving.cancel()
    await leaving.value
    await patient.stop()
    await studio.stop()
  }

  @Test func aClientThatComesBackTooLateFindsAnotherSession() async throws {
    let first = await client(.tempo)
    try await wait { studio.isBeating }
    await leave(first)
    try await wait { !studio.isBeating }
    let second = await client(.tempo)
    _ = try await next(.tempo, of: second)
    #expect(studio.beatStartCount == 2)
    await studio.stop()
  }

  /// Each action put off the end of what nobody wanted.
  @Test func anEngineThatNobodyWantsEndsThoughAClientActsAllTheTime() async throws {
    let busy = try Self.studio(linger: .milliseconds(200))
    let (first, second) = (await client(.tempo, of: busy), await client(of: busy))
    try await wait { busy.isBeating }
    busy.hub.leave(first)
    let text = Array(#"{"v":1,"id":1,"do":"lights/unattended","with":{"do":"hold"}}"#.utf8)
    let end = ContinuousClock.now + .seconds(20)
    while busy.isBeating, ContinuousClock.now < end {
      await busy.receive(text, from: second, nil)
      _ = second.take()
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(!busy.isBeating)
    await busy.stop()
    await studio.stop()
  }

  /// Each change of what a client receives put off the end of what nobody wanted.
  @Test func anEngineThatNobodyWantsEndsThoughAClientTogglesAnotherTopicAllTheTime() async throws {
    let busy = try Self.studio(linger: .milliseconds(200))
    let (first, second) = (await client(.tempo, of: busy), await client(of: busy))
    try await wait { busy.isBeating }
    busy.hub.leave(first)
    let end = ContinuousClock.now + .seconds(20)
    while busy.isBeating, ContinuousClock.now < end {
      for word in ["subscribe", "unsubscribe"] {
        await busy.receive(Array(#"{"v":1,"\#(word)":["lights"]}"#.utf8), from: second, nil)
        try await Task.sleep(for: .milliseconds(25))
      }
    }
    #expect(!busy.isBeating)
    await busy.stop()
    await studio.stop()
  }

  /// The end of one engine ends no other one.
  @Test func anEngineThatAClientWantsOutlivesTheOthers() async throws {
    let reader = await client(.tempo)
    try await wait { studio.isBeating }
    for _ in 0..<3 {
      let other = await client(.meter)
      try await wait { studio.sound.isAnalyzed(for: .meter) }
      await leave(other)
      try await wait { !studio.sound.isAnalyzed(for: .meter) }
    }
    _ = try await next(.tempo, of: reader)
    #expect(studio.beatStartCount == 1)
    await studio.stop()
  }

  /// Those who look at levels once a second had a state sent to every client.
  @Test(arguments: [("output/levels", false), ("lights/unattended", true)])
  func anActionThatOnlyReadsSendsNoState(name: String, isSent: Bool) async throws {
    let reader = await client()
    let text = #"{"v":1,"id":7,"do":"\#(name)","with":{"do":"hold"}}"#
    await studio.receive(Array(text.utf8), from: reader, nil)
    var texts: [String] = []
    try await wait {
      texts += reader.take().texts
      return texts.contains { $0.contains(#""id":7"#) }
    }
    let state = #""name":"\#(name.prefix { $0 != "/" })""#
    #expect(texts.contains { $0.contains(state) && $0.contains(#""type":"state""#) } == isSent)
    await studio.stop()
  }
}
