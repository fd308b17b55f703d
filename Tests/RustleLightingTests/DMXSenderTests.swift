import RustleCore
import RustleLighting
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct DMXSenderTests {
  private static func demo(_ kind: DMXProtocol = .sacn) -> DMXSenderConfiguration {
    var configuration = DMXSenderConfiguration(kind)
    configuration.interface = DMXSenderConfiguration.demoInterface
    return configuration
  }

  @Test func levelsAreSentUntilTheirUniversesAreTerminated() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let sender = try DMXSender(Self.demo(), runtime: runtime)
    #expect(await sender.report == nil)
    try await sender.start()
    runtime.advance(nanoseconds: 0)
    let universes = try DMXUniverse.list("1-3", of: .sacn)
    try await sender.set(Dictionary(uniqueKeysWithValues: universes.map { ($0, DMXLevels(at: 255)) }))
    runtime.advance(nanoseconds: 1_000_000_000)
    let report = try #require(await sender.report)
    // The change, three repetitions and one that keeps them alive of each, and the list of universes.
    #expect((report.packets, report.datagrams, report.universes) == (15, 16, 3))
    #expect((report.skippedFrames, report.refusals, report.longestLateness) == (0, 0, .zero))
    try await sender.remove(universes[0])
    runtime.advance(nanoseconds: 1_000_000_000)
    #expect(await sender.report?.universes == 2)
    let stopping = Task { await sender.stop() }
    while await sender.liveStreamCount > 0 {
      runtime.advance(nanoseconds: 0)
      await Task.yield()
    }
    await stopping.value
    #expect(await sender.report?.universes == 0)
  }

  @Test func packetsOfEachUniverseAreCounted() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let sender = try DMXSender(Self.demo(), runtime: runtime)
    let universes = try DMXUniverse.list("1-3", of: .sacn)
    #expect(try await sender.counts(of: universes[0]) == nil)
    try await sender.start()
    runtime.advance(nanoseconds: 0)
    try await sender.set([universes[0]: DMXLevels(at: 255), universes[1]: DMXLevels(at: 0)])
    runtime.advance(nanoseconds: 23_000_000)
    try await sender.set(DMXLevels(at: 7), in: universes[0])
    runtime.advance(nanoseconds: 1_477_000_000)
    var packets: [UInt64] = []
    for universe in universes { packets.append(try #require(try await sender.counts(of: universe)).packets) }
    // The change, three repetitions and one that keeps them alive; of the first also the change before.
    #expect(packets == [6, 5, 0])
    let refusal = await #expect(throws: LightingError.self) {
      try await sender.counts(of: DMXUniverse(1, of: .artNet))
    }
    #expect(refusal?.code == .universe)
    let stopping = Task { await sender.stop() }
    while await sender.liveStreamCount > 0 {
      runtime.advance(nanoseconds: 0)
      await Task.yield()
    }
    await stopping.value
    #expect(try await sender.counts(of: universes[0])?.packets == 9)
  }

  @Test func universeOfATargetWhereNobodyListensFailsBesideOneThatArrives() async throws {
    let universe = try DMXUniverse(7_311, of: .sacn)
    func sender(to destinations: [String]) async throws -> DMXSender {
      var configuration = DMXSenderConfiguration(.sacn)
      (configuration.interface, configuration.destinations) = ("127.0.0.1", destinations)
      let sender = try DMXSender(configuration)
      try await sender.start()
      return sender
    }
    // To the group, and to the port "discard".
    let (good, bad) = (try await sender(to: []), try await sender(to: ["127.0.0.1:9"]))
    var level: UInt8 = 0
    while try await bad.counts(of: universe)?.refusals ?? 0 == 0 {
      level &+= 1
      for sender in [good, bad] { try await sender.set(DMXLevels(slots: 8, at: level), in: universe) }
      await Task.yield()
    }
    while try await good.counts(of: universe)?.packets ?? 0 < 3 { await Task.yield() }
    #expect(try await good.counts(of: universe)?.refusals == 0)
    #expect(await (good.refusedUniverses, bad.refusedUniverses) == ([], [universe]))
    for sender in [good, bad] { await sender.stop() }
  }

  @Test func stopReturnsAfterTheTerminationsOfARealNetwork() async throws {
    var configuration = DMXSenderConfiguration(.sacn)
    configuration.interface = "127.0.0.1"
    let sender = try DMXSender(configuration)
    try await sender.start()
    try await sender.set(DMXLevels(slots: 8, at: 7), in: DMXUniverse(7_301, of: .sacn))
    while await sender.report?.packets == 0 { await Task.yield() }
    let before = try #require(await sender.report)
    await sender.stop()
    let after = try #require(await sender.report)
    #expect((after.universes, after.refusals) == (0, 0))
    #expect(after.packets >= before.packets + 3)
    // It starts again, with universes of its own.
    try await sender.start()
    #expect(await sender.report?.packets == 0)
    await sender.stop()
  }

  @Test func totalCountsAllStarts() async throws {
    let (sender, universe) = (try DMXSender(Self.demo()), try DMXUniverse(1, of: .sacn))
    #expect(await sender.total == nil)
    var packets: UInt64 = 0
    for _ in 0..<3 {
      try await sender.start()
      try await sender.set(DMXLevels(at: 255), in: universe)
      await sender.stop()
      let report = try #require(await sender.report)
      #expect(report.packets > 0)
      packets += report.packets
      #expect(await sender.total?.packets == packets)
    }
  }

  @Test func reportsEndWithTheSenderAndTheSenderWithItsReports() async throws {
    var configuration = Self.demo()
    configuration.reportRate = 1_000
    configuration.reportLimit = 5
    let sender = try DMXSender(configuration)
    var numbers: [UInt64] = []
    for await element in try await sender.start(buffering: .perValue()) {
      numbers.append(element.value?.sequence ?? 99)
    }
    #expect(numbers == [0, 1, 2, 3, 4])
    await sender.stop()
    #expect(await sender.liveStreamCount == 0)
  }

  @Test func callsBeforeTheStartAndSecondStartsAreRefused() async throws {
    let sender = try DMXSender(Self.demo())
    let universe = try DMXUniverse(1, of: .sacn)
    var refusal = await #expect(throws: LightingError.self) { try await sender.set(DMXLevels(), in: universe) }
    #expect(refusal?.code == .wrongState)
    #expect(await sender.refusals == [])
    try await sender.start()
    refusal = await #expect(throws: LightingError.self) { try await sender.start() }
    #expect(refusal?.code == .wrongState)
    #expect(await sender.refusals == [0])
    await sender.shutDown()
    refusal = await #expect(throws: LightingError.self) { try await sender.start() }
    #expect(refusal?.code == .shutDown)
  }

  @Test func universesOfTheOtherProtocolAndUnevenFramesAreRefused() async throws {
    let sender = try DMXSender(Self.demo())
    try await sender.start()
    let (one, two) = (try DMXUniverse(1, of: .sacn), try DMXUniverse(2, of: .sacn))
    var refusal = await #expect(throws: LightingError.self) {
      try await sender.set(DMXLevels(), in: DMXUniverse(1, of: .artNet))
    }
    #expect(refusal?.code == .universe)
    refusal = await #expect(throws: LightingError.self) {
      try await sender.set([one: DMXLevels(slots: 2), two: DMXLevels(slots: 3)])
    }
    #expect(refusal?.code == .validation)
    try await sender.set([:])
    try await sender.setPriority(200, of: one)
    try await sender.setPriorities(DMXLevels(at: 200), of: one)
    try await sender.setPriorities(nil, of: one)
    refusal = await #expect(throws: LightingError.self) { try await sender.setPriority(201, of: one) }
    #expect(refusal?.code == .validation)
    await sender.stop()
  }

  @Test func configurationIsCheckedAtOnceAndTheInterfaceAtTheStart() async throws {
    func refusal(_ kind: DMXProtocol = .sacn, _ change: (inout DMXSenderConfiguration) -> Void) -> LightingError? {
      var configuration = Self.demo(kind)
      change(&configuration)
      return #expect(throws: LightingError.self) { try DMXSender(configuration) }
    }
    #expect(refusal { $0.rate = 0.5 }?.code == .validation)
    // An unset variable is no multicast.
    #expect(refusal { $0.destinations = [""] }?.message == "destination: expected an IPv4 address, got an empty text")
    #expect(refusal { $0.priority = -1 }?.message == "priority: expected 0 to 200, got -1")
    #expect(refusal { $0.synchronization = .sacn(address: 64_000) }?.code == .universe)
    #expect(refusal { $0.synchronization = .artSync }?.code == .validation)
    #expect(refusal { $0.synchronizationGap = .seconds(-1) }?.code == .validation)
    #expect(refusal { $0.name = String(repeating: "x", count: 64) }?.code == .validation)
    #expect(refusal { $0.destinations = ["here"] }?.advice == "Pass an address such as 10.0.0.7 or 10.0.0.7:6454.")
    #expect(refusal(.artNet) { $0.interface = "lo" }?.advice == "Name a node's address, or ask for the broadcast.")
    var configuration = Self.demo()
    configuration.interface = "nowhere"
    let sender = try DMXSender(configuration)
    let unknown = await #expect(throws: LightingError.self) { try await sender.start() }
    #expect(unknown?.code == .unknownInterface)
    #expect(unknown?.message.contains("(127.0.0.1)") == true, "the choices")
  }

  @Test func interfacesHaveTheLoopback() throws {
    let loopback = try #require(try NetworkInterface.all().first { $0.address == "127.0.0.1" })
    #expect(loopback.isLoopback && loopback.broadcast == "127.255.255.255" && !loopback.name.isEmpty)
  }

  @MainActor @Test func viewModelShowsReportsAndTheEnd() async throws {
    var configuration = Self.demo()
    configuration.reportRate = 1_000
    let model = DMXSenderViewModel(try DMXSender(configuration))
    model.start()
    model.start()
    while model.report == nil { await Task.yield() }
    #expect(model.isRunning && model.error == nil)
    await model.stop()
    #expect(!model.isRunning && model.report?.universes == 0)
    configuration.interface = "nowhere"
    let refused = DMXSenderViewModel(try DMXSender(configuration))
    refused.start()
    while refused.isRunning { await Task.yield() }
    #expect(refused.error?.code == .unknownInterface)
  }
}
