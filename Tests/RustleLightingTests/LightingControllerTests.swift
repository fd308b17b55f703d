import Foundation
import RustleCore
import RustleLighting
import RustleTempo
import TestSupport
import Testing

@Suite(.serialized, .releasesNativeObjects) struct LightingControllerTests {
  // Not constants: LeakSanitizer takes those of `Data` for leaks.
  private static var dimmer: Data {
    Data(
      """
      {"v":1,"fixtures":[{"id":1,"profile":"dimmer","protocol":"sacn","universe":7,"address":3}]}
      """.utf8)
  }
  private static var scenes: Data {
    Data(
      """
      {"v":1,"name":"two","faders":["key"],
       "scenes":[{"name":"full","layers":[{"effect":"solid"}]},{"name":"dark","layers":[]}],
       "cues":[{"name":"first","scene":"full"},{"scene":"dark"}]}
      """.utf8)
  }
  private static let frame: UInt64 = 22_727_273

  private func show() throws -> LightShow { try LightShow(show: Self.scenes, rig: Self.dimmer) }

  /// Stops a controller whose clock the test moves.
  private func stop(_ controller: LightingController, _ runtime: NativeRuntime) async {
    let stopping = Task { await controller.stop() }
    while await controller.liveStreamCount > 0 {
      runtime.advance(nanoseconds: Self.frame)
      await Task.yield()
    }
    var isOver = false
    let ending = Task { await stopping.value }
    while !isOver {
      runtime.advance(nanoseconds: Self.frame)
      isOver = await withTaskGroup(of: Bool.self) { group in
        group.addTask {
          await ending.value
          return true
        }
        group.addTask {
          for _ in 0..<100 { await Task.yield() }
          return false
        }
        defer { group.cancelAll() }
        return await group.next() ?? true
      }
    }
  }

  @Test func aShowSaysWhatIsInIt() throws {
    let show = try show()
    #expect((show.name, show.faders, show.scenes, show.cues) == ("two", ["key"], ["full", "dark"], ["first", ""]))
    #expect((show.fixtureCount, show.elementCount, show.universeCount) == (1, 1, 1))
    #expect(show.faults.isEmpty)
    let festival = try LightShow(demo: .festival)
    #expect(festival.fixtureCount == 100 && festival.elementCount == 460)
    let fixtures = try festival.fixtures()
    #expect(fixtures.count == 100 && Set(fixtures.map(\.id)).count == 100)
    #expect(Set(fixtures.map(\.universe)).count <= festival.universeCount)
    #expect(fixtures.allSatisfy { (1...512).contains($0.address) && $0.slotCount > 0 && !$0.profile.isEmpty })
  }

  @Test func aFixtureHasItsPatch() throws {
    let rig = Data(
      """
      {"v":1,"fixtures":[
        {"id":"left \\"1\\"","name":"Ä","profile":"rgb-par","group":"front",
         "protocol":"artnet","universe":"0.1.2","address":7},
        {"id":-3,"profile":"dimmer","protocol":"sacn","universe":63999,"address":512}
      ]}
      """.utf8)
    let fixtures = try LightShow(show: Self.scenes, rig: rig).fixtures()
    #expect(fixtures.map(\.id) == ["left \"1\"", "-3"] && fixtures.map(\.name) == ["Ä", ""])
    #expect(fixtures.map(\.group) == ["front", ""] && fixtures.map(\.address) == [7, 512])
    #expect(fixtures.map(\.universe) == [try DMXUniverse("0.1.2", of: .artNet), try DMXUniverse(63_999, of: .sacn)])
    #expect(fixtures.map(\.profile) == ["rgb-par", "dimmer"])
    #expect(fixtures[1].slotCount == 1 && fixtures[0].slotCount >= 3)
  }

  @Test func whatIsWrongWithinIsNamedAndLeftOut() throws {
    let file = Data(#"{"v":1,"scenes":[{"name":"a","layers":[{"effect":"sollid"}]}],"cues":[{"scene":"b"}]}"#.utf8)
    let show = try LightShow(show: file, rig: Self.dimmer)
    #expect(show.faults.count == 2)
    #expect(
      show.faults[0].hasPrefix("scenes[0].layers[0].effect: expected ") && show.faults[0].hasSuffix("got \"sollid\""))
    #expect(show.scenes == ["a"] && show.cues.isEmpty)
  }

  @Test(arguments: ["", "{", "[]", #"{"v":2,"scenes":[]}"#])
  func aTextThatIsNoShowIsRefused(text: String) {
    let error = #expect(throws: LightingError.self) { try LightShow(show: Data(text.utf8)) }
    #expect(error?.code == .malformedInput)
  }

  @Test func levelsFollowCuesBlackoutAndMaster() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let controller = LightingController(try show(), runtime: runtime)
    await #expect(throws: LightingError.self) { try await controller.go() }
    try await controller.start()
    let universe = try DMXUniverse(7, of: .sacn)
    func level() async throws -> UInt8? {
      runtime.advance(nanoseconds: Self.frame * 2)
      return try await controller.levels()[universe]?[2]
    }
    #expect(try await level() == 255)
    try await controller.setBlackout(true)
    #expect(try await level() == 0)
    try await controller.setBlackout(false)
    try await controller.setMaster(0.5)
    #expect(try await level() == 128)
    try await controller.go()
    #expect(try await level() == 0)
    try await controller.back()
    try await controller.setMaster(1)
    #expect(try await level() == 255)
    let half = Data(#"{"name":"half","layers":[{"effect":"solid","opacity":0.5}]}"#.utf8)
    try await controller.replace(scene: 0, with: half)
    #expect(try await level() == 128)
    for (place, json, code) in [
      (2, half, LightingError.Code.validation), (-1, half, .validation), (0, Data("{".utf8), .malformedInput),
      (0, Data(#"{"name":"x","layers":[{"effect":"sollid"}]}"#.utf8), .malformedInput),
    ] {
      let error = await #expect(throws: LightingError.self) { try await controller.replace(scene: place, with: json) }
      #expect(error?.code == code)
    }
    #expect(try await level() == 128)
    await #expect(throws: LightingError.self) { try await controller.start() }
    await stop(controller, runtime)
  }

  /// The levels of a universe of sACN in a capture, each once.
  private static func sent(to universe: Int, in capture: URL) throws -> [[UInt8]] {
    let (fileHeader, recordHeader, headers, slots) = (24, 16, 28, 126)
    var rest = [UInt8](try Data(contentsOf: capture))[fileHeader...]
    var sent: [[UInt8]] = []
    while !rest.isEmpty {
      let length = rest.dropFirst(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      let packet = Array(rest.dropFirst(recordHeader).prefix(length).dropFirst(headers))
      rest = rest.dropFirst(recordHeader + length)
      // Of the root vector of data.
      guard packet[21] == 4, Int(packet[113]) << 8 | Int(packet[114]) == universe else { continue }
      let levels = Array(packet[slots...])
      if sent.last != levels { sent.append(levels) }
    }
    return sent
  }

  @Test func framesAreWhatTheOutputSends() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let capture = FileManager.default.temporaryDirectory.appending(path: "rustle-frames-\(UUID()).pcap")
    defer { try? FileManager.default.removeItem(at: capture) }
    var output = DMXSenderConfiguration(.sacn, name: "frames")
    output.interface = DMXSenderConfiguration.demoInterface
    output.capture = capture.path
    let controller = LightingController(try LightShow(demo: .festival), runtime: runtime)
    await #expect(throws: LightingError.self) { try await controller.frames() }
    try await controller.start(outputs: [try DMXSender(output, runtime: runtime)])
    for capacity in [0, -1, 1_048_577] {
      let error = await #expect(throws: LightingError.self) { try await controller.frames(capacity: capacity) }
      #expect(error?.code == .validation)
    }
    let (all, newest) = (try await controller.frames(capacity: 65_536), try await controller.frames())
    runtime.advance(nanoseconds: 2_000_000_000)
    // While the time stands still: no frame comes between the ends of the streams and that of the show.
    await controller.cancel()
    await stop(controller, runtime)
    var shown: [[UInt8]] = []
    var last: [DMXUniverse: LightingLevels] = [:]
    for await element in all {
      let levels = try #require(element.value)
      let before = last.updateValue(levels, forKey: levels.universe)
      #expect(levels.frame == (before?.frame ?? 0) + 1 && levels.time > before?.time ?? .seconds(-1))
      if levels.universe.number == 1, shown.last != levels.levels { shown.append(levels.levels) }
    }
    #expect(last.count == controller.show.universeCount && last.count > 1)
    var (gaps, found): (UInt64, Set<LightingLevels>) = (0, [])
    for await element in newest {
      switch element {
      case .value(let levels): found.insert(levels)
      case .gap(let count): gaps += count
      }
    }
    #expect(found == Set(last.values))
    #expect(gaps + UInt64(found.count) == last.values.map { $0.sequence + 1 }.max())
    let sent = try Self.sent(to: 1, in: capture)
    #expect(sent.count > 20 && shown.starts(with: sent))
  }

  @Test func aShowHasTheBeatsOfAClockFromItsBeginning() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let clock = try TempoClock(TempoClock.Configuration(), runtime: runtime)
    try clock.setTempo(90)
    runtime.advance(nanoseconds: 10_000_000_000)
    let controller = LightingController(try show(), runtime: runtime)
    let reports = try await controller.start(following: clock)
    runtime.advance(nanoseconds: 1_000_000_000)
    var iterator = reports.makeAsyncIterator()
    let first = try #require(await iterator.next()?.value)
    // That of the first frame.
    #expect(first.tempo == clock.beats().tempo && abs(first.beats - 15) < 0.1)
    let other = try TempoClock(TempoClock.Configuration(), runtime: NativeRuntime(wallMilliseconds: 0))
    let error = await #expect(throws: LightingError.self) { try await controller.follow(other) }
    #expect(error?.code == .validation)
    await stop(controller, runtime)
    await clock.shutDown()
    await other.shutDown()
  }

  @Test func anInputThatTheShowDoesNotHaveIsRefused() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let controller = LightingController(try show(), runtime: runtime)
    try await controller.start()
    func code(_ call: () async throws -> Void) async -> LightingError.Code? {
      do { try await call() } catch { return (error as? LightingError)?.code }
      return nil
    }
    let codes = [
      await code { try await controller.go(toCue: 2) }, await code { try await controller.show(scene: -1) },
      await code { try await controller.setFader(1, to: 0.5) }, await code { try await controller.setMaster(1.5) },
      await code { try await controller.setTempo(0) },
      await code { try await controller.setSound(level: 0, bands: Array(repeating: 0, count: 9)) },
    ]
    #expect(codes == Array(repeating: .validation, count: 6))
    await stop(controller, runtime)
  }

  @Test func packetsOfAShowAreTheSameEachTime() async throws {
    func capture() async throws -> Data {
      let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pcap").path
      defer { try? FileManager.default.removeItem(atPath: path) }
      let runtime = try NativeRuntime(wallMilliseconds: 0)
      var output = DMXSenderConfiguration(
        .sacn, cid: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
      (output.interface, output.capture) = (DMXSenderConfiguration.demoInterface, path)
      let controller = LightingController(try LightShow(demo: .heads), runtime: runtime)
      try await controller.start(outputs: [DMXSender(output, runtime: runtime)])
      runtime.advance(nanoseconds: 2_000_000_000)
      try await controller.setTempo(97)
      runtime.advance(nanoseconds: 2_000_000_000)
      let bytes = try Data(contentsOf: URL(filePath: path))
      await stop(controller, runtime)
      return bytes
    }
    let first = try await capture()
    #expect(first.count > 100_000)
    #expect(try await capture() == first)
  }

  private func demoSender() throws -> DMXSender {
    var configuration = DMXSenderConfiguration(.sacn)
    configuration.interface = DMXSenderConfiguration.demoInterface
    return try DMXSender(configuration)
  }

  @Test func ofTwoStartsAtOnceOneIsRefused() async throws {
    let controller = LightingController(try show())
    for _ in 0..<20 {
      let codes = await withTaskGroup(of: LightingError.Code?.self) { group in
        for _ in 0..<2 {
          let sender = try? demoSender()
          group.addTask {
            do throws(LightingError) {
              _ = try await controller.start(outputs: sender.map { [$0] } ?? [])
              return nil
            } catch {
              return error.code
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes.count == 2 && codes.contains(nil) && codes.contains(.wrongState))
      await controller.stop()
    }
  }

  @Test func aSenderThatIsAddedWhileTheShowStopsIsStopped() async throws {
    let controller = LightingController(try show())
    for _ in 0..<20 {
      _ = try await controller.start()
      let sender = try demoSender()
      async let adding: Void? = try? controller.add(sender)
      await controller.stop()
      _ = await adding
      #expect(await sender.session == nil)
    }
  }

  @Test func aCaptureNeedsTheDemonstrationAndAFolder() async throws {
    var output = DMXSenderConfiguration(.sacn)
    (output.interface, output.capture) = ("lo", "x.pcap")
    #expect(throws: LightingError.self) { try DMXSender(output) }
    (output.interface, output.capture) = (DMXSenderConfiguration.demoInterface, "/dev/null/x.pcap")
    let sender = try DMXSender(output)
    let error = await #expect(throws: LightingError.self) { try await sender.start() }
    #expect(error?.code == .network)
  }

  @Test func picturesShowWhatTheSlotsSay() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let controller = LightingController(try show(), runtime: runtime)
    await #expect(throws: LightingError.self) { try await controller.picture(VenuePictureOptions()) }
    try await controller.start()
    runtime.advance(nanoseconds: Self.frame * 2)
    func brightest() async throws -> UInt8? {
      try await controller.picture(VenuePictureOptions(width: 64, height: 36, format: .rgba)).enumerated()
        .filter { $0.offset % 4 == 0 }.map(\.element).max()
    }
    let light = try #require(try await brightest())
    #expect(light > 200)
    try await controller.setBlackout(true)
    runtime.advance(nanoseconds: Self.frame * 2)
    let dark = try #require(try await brightest())
    #expect(dark < 60)
    let png = try await controller.picture(VenuePictureOptions(width: 64, height: 36))
    #expect(png.prefix(8) == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
    let text = try await controller.picture(.terminal(columns: 40, lines: 12, format: .ascii))
    #expect(String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).count == 13)
    for side in [0, 8_193] {
      let error = await #expect(throws: LightingError.self) {
        try await controller.picture(VenuePictureOptions(width: side))
      }
      #expect(error?.code == .validation)
    }
    await stop(controller, runtime)
  }

  @Test @MainActor func aModelFollowsTheShowAndItsInputs() async throws {
    var configuration = LightingController.Configuration()
    configuration.reportRate = 100
    let model = LightingViewModel(LightingController(try show(), configuration: configuration))
    await model.go()
    #expect(model.error?.code == .wrongState)
    model.start()
    while model.scene != "full" { await Task.yield() }
    await model.toggleBlackout()
    while model.report?.isBlackout != true { await Task.yield() }
    await model.go()
    while model.scene != "dark" { await Task.yield() }
    #expect(model.isRunning && model.error == nil)
    await model.stop()
    #expect(!model.isRunning)
  }
}
