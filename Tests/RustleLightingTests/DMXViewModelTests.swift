import RustleCore
import RustleLighting
import TestSupport
import Testing

@MainActor
@Suite(.releasesNativeObjects) struct DMXViewModelTests {
  private let runtime: NativeRuntime

  init() throws { runtime = try NativeRuntime(wallMilliseconds: 0) }

  /// Moves the clock until something is so.
  private func advance(until isSo: () -> Bool) async {
    while !isSo() {
      runtime.advance(nanoseconds: 10_000_000)
      await Task.yield()
    }
  }

  @Test func levelsOfEachUniverseAreShownAndStay() async throws {
    var configuration = DMXReceiverConfiguration(try DMXUniverse.list("3,7", of: .sacn))
    configuration.interface = "demo"
    let model = DMXReceiverViewModel(try DMXReceiver(configuration, runtime: runtime))
    model.start()
    #expect(model.isRunning)
    model.start()
    await advance { model.universes.values.contains { $0.sequence > 10 } }
    #expect(model.universes.keys.map(\.number).sorted() == [3, 7] && model.events == [])
    await model.stop()
    #expect(!model.isRunning && model.error == nil && model.universes.count == 2)
    model.start()
    #expect(model.universes.isEmpty)
    await advance { !model.universes.isEmpty }
    await model.stop()
  }

  @Test func eventsOfASenderAreShownUpToTheLimit() async throws {
    let universe = try DMXUniverse(7_503, of: .sacn)
    var received = DMXReceiverConfiguration([universe])
    received.interface = "127.0.0.1"
    let model = DMXReceiverViewModel(try DMXReceiver(received), eventLimit: 2)
    model.start()
    var sent = DMXSenderConfiguration(.sacn)
    sent.interface = "127.0.0.1"
    let sender = try DMXSender(sent)
    try await sender.start()
    try await sender.set(DMXLevels(slots: 1, at: 5), in: universe)
    while model.events.isEmpty { await Task.yield() }
    #expect(model.events.map(\.kind) == [.sourceAppeared])
    await sender.stop()
    while model.events.last?.kind != .universeLost { await Task.yield() }
    #expect(model.events.map(\.kind) == [.sourceTerminated, .universeLost])
    #expect(model.universes[universe]?.levels.first == 5)
    await model.stop()
  }

  @Test func nodesAreShownInTheirOrder() async throws {
    var configuration = DMXNodesConfiguration()
    configuration.interface = "demo"
    let model = DMXNodesViewModel(try DMXNodes(configuration, runtime: runtime))
    model.start()
    await advance { model.nodes.contains { $0.state != .online } }
    #expect(model.nodes.map(\.index) == [0, 1, 2, 3] && model.nodes[1].name == "demo 2")
    await model.stop()
    #expect(!model.isRunning && model.nodes.count == 4)
  }

  @Test func refusalsAreShown() async throws {
    var received = DMXReceiverConfiguration([try DMXUniverse(1, of: .sacn)])
    received.interface = "nowhere"
    let receiver = DMXReceiverViewModel(try DMXReceiver(received))
    receiver.start()
    while receiver.isRunning { await Task.yield() }
    #expect(receiver.error?.code == .unknownInterface)
    var polled = DMXNodesConfiguration()
    polled.interface = "nowhere"
    let nodes = DMXNodesViewModel(try DMXNodes(polled))
    nodes.start()
    while nodes.isRunning { await Task.yield() }
    #expect(nodes.error?.code == .unknownInterface)
  }
}
