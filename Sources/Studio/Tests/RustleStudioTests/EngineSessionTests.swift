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
    let folder = FileManager.default.temporaryDirectory.appending(path: "rustle-\(UUID().uuidString)")
    studio = try Studio(
      recordings: folder, show: StudioShow(), prices: [], camera: nil, linger: .milliseconds(1))
    try studio.sound.select(.device(AudioDevice.demo.name), of: "demo")
  }

  private func client(_ topics: Topic...) async -> Client {
    let client = studio.hub.join(canAct: true)
    let names = topics.map { "\"\($0.name)\"" }.joined(separator: ",")
    await studio.receive(Array(#"{"v":1,"subscribe":[\#(names)]}"#.utf8), from: client, nil)
    return client
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
    let folder = FileManager.default.temporaryDirectory
    let patient = try Studio(recordings: folder, show: StudioShow(), prices: [], camera: nil, linger: .seconds(3_600))
    let first = patient.hub.join(canAct: true)
    let subscribe = Array(#"{"v":1,"subscribe":["tempo"]}"#.utf8)
    await patient.receive(subscribe, from: first, nil)
    let before = try await next(.tempo, of: first)
    patient.hub.leave(first)
    let second = patient.hub.join(canAct: true)
    await patient.receive(subscribe, from: second, nil)
    // The numbers go on: a second session would write them twice as fast.
    #expect(try await next(.tempo, of: second) > before)
    await patient.stop()
    await studio.stop()
  }
}
