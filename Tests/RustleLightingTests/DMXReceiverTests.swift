import Foundation
import RustleCore
import RustleLighting
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct DMXReceiverTests {
  private static func universes(_ text: String, of kind: DMXProtocol = .sacn) throws -> [DMXUniverse] {
    try DMXUniverse.list(text, of: kind)
  }

  @Test func demonstrationStreamsTheLevelsOfBothProtocols() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 1_000)
    var configuration = DMXReceiverConfiguration(
      try Self.universes("7,3") + Self.universes("0.0.1", of: .artNet))
    configuration.interface = "demo"
    configuration.demoRate = 10
    configuration.levelsLimit = 6
    let receiver = try DMXReceiver(configuration, runtime: runtime)
    let stream = try await receiver.levels(buffering: .batched(capacity: 16, overflow: .dropOldest))
    runtime.advance(nanoseconds: 1_000_000_000)
    var got: [DMXUniverseLevels] = []
    for await element in stream { if let levels = element.value { got.append(levels) } }
    #expect(got.map(\.universe.number) == [3, 7, 1, 3, 7, 1])
    #expect(got.map(\.universe.protocol) == [.sacn, .sacn, .artNet, .sacn, .sacn, .artNet])
    #expect(got.map(\.sequence) == [0, 1, 2, 3, 4, 5] && got.map(\.change) == [0, 0, 0, 1, 1, 1])
    #expect(got.allSatisfy { $0.levels.count == 512 && $0.sources == 1 })
    #expect(got[0].levels[0...2] == [0, 1, 2] && got[3].levels[0...2] == [1, 2, 3])
    #expect(got[0].time.timeIntervalSince1970 == 1)
  }

  @Test func levelsOfASenderArriveAndItsEndIsAnEvent() async throws {
    let universe = try DMXUniverse(7_501, of: .sacn)
    var received = DMXReceiverConfiguration([universe])
    received.interface = "127.0.0.1"
    let receiver = try DMXReceiver(received)
    let (levels, events) = (try await receiver.levels(), try await receiver.events())
    var sent = DMXSenderConfiguration(.sacn, name: "a test")
    sent.interface = "127.0.0.1"
    let sender = try DMXSender(sent)
    try await sender.start()
    try await sender.set(DMXLevels(slots: 3, at: 9), in: universe)
    var shown = levels.makeAsyncIterator()
    let first = try #require(await shown.next()?.value)
    #expect(first.universe == universe && first.levels[0...3] == [9, 9, 9, 0] && first.sources == 1)
    await sender.stop()
    var kinds: [DMXEvent.Kind] = []
    for await element in events {
      guard let event = element.value else { continue }
      kinds.append(event.kind)
      if event.kind == .sourceAppeared {
        #expect(event.text == "a test" && event.cid == sent.cid && event.address == "127.0.0.1")
      }
      if event.kind == .universeLost { break }
    }
    #expect(kinds == [.sourceAppeared, .sourceTerminated, .universeLost])
    let counts = try #require(await receiver.counts(of: universe))
    #expect(counts.packets > 1 && counts.sources == 0)
    #expect(try #require(await receiver.counts).levels == 1)
    await receiver.cancel()
  }

  @Test func sourcesAreListedAndForgotten() async throws {
    let universe = try DMXUniverse(7_502, of: .sacn)
    var received = DMXReceiverConfiguration([universe])
    received.interface = "127.0.0.1"
    let receiver = try DMXReceiver(received)
    #expect(await receiver.sources(of: universe) == [])
    let (levels, events) = (try await receiver.levels(), try await receiver.events())
    var sent = DMXSenderConfiguration(.sacn, name: "a source")
    sent.interface = "127.0.0.1"
    sent.priority = 42
    let sender = try DMXSender(sent)
    try await sender.start()
    try await sender.set(DMXLevels(slots: 3, at: 9), in: universe)
    var shown = levels.makeAsyncIterator()
    _ = await shown.next()
    let source = try #require(await receiver.sources(of: universe).first)
    #expect(source.cid == sent.cid && source.name == "a source" && source.address == "127.0.0.1")
    #expect(source.priority == 42 && !source.isPreview && source.synchronizationAddress == nil)
    await receiver.forget(source, of: universe)
    for await element in events where element.value?.kind == .sourceForgotten {
      #expect(element.value?.cid == sent.cid)
      break
    }
    await sender.stop()
    await receiver.cancel()
  }

  @Test func nodesOfTheDemonstrationAppear() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    var configuration = DMXNodesConfiguration()
    configuration.interface = "demo"
    configuration.changesLimit = 5
    let browser = try DMXNodes(configuration, runtime: runtime)
    let stream = try await browser.nodes()
    runtime.advance(nanoseconds: 2_000_000_000)
    var got: [DMXNode] = []
    for await element in stream { if let node = element.value { got.append(node) } }
    #expect(got.map(\.change) == [.appeared, .appeared, .appeared, .appeared, .late])
    #expect(got[1].address == "192.0.2.2" && got[1].name == "demo 2" && got[1].mac == "02:00:00:00:00:02")
    #expect(got[1].ports.map(\.number) == [4, 5, 6, 7] && got[1].portCount == 4 && got[4].state == .late)
  }

  @Test func mistakesAreRefusedWithAdvice() async throws {
    let refusal = { (configure: (inout DMXReceiverConfiguration) -> Void) in
      var configuration = DMXReceiverConfiguration([try DMXUniverse(1, of: .sacn)])
      configure(&configuration)
      return #expect(throws: LightingError.self) { try DMXReceiver(configuration) }
    }
    #expect(try refusal { $0.universes = [] }?.message == "universes: expected 1 to 4096, got 0")
    #expect(try refusal { $0.maximumSourceCount = 0 }?.code == .validation)
    #expect(try refusal { $0.settling = .seconds(-1) }?.code == .validation)
    #expect(try refusal { $0.name = "a name that is too long" }?.code == .validation)
    var nowhere = DMXReceiverConfiguration([try DMXUniverse(1, of: .sacn)])
    nowhere.interface = "nowhere"
    let receiver = try DMXReceiver(nowhere)
    let error = await #expect(throws: LightingError.self) { try await receiver.levels() }
    #expect(error?.code == .unknownInterface && error?.message.contains("127.0.0.1") == true)
  }
}
