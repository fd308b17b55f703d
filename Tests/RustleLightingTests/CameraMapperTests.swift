import Foundation
import RustleCore
import RustleLighting
import TestSupport
import Testing

/// A rig of pars on a universe of Art-Net and a bar on one of sACN.
private func rig(pars: Int) -> Data {
  let pars = (0..<pars).map {
    #"{"id":\#($0 + 1),"profile":"rgb-par","protocol":"artnet","universe":0,"address":\#($0 * 3 + 1)}"#
  }
  let bar = #"{"id":"bar","profile":"bar-8","protocol":"sacn","universe":7,"address":1}"#
  return Data(#"{"v":1,"fixtures":[\#((pars + [bar]).joined(separator: ","))]}"#.utf8)
}

/// A simulated camera in a time of its own.
private actor Stage {
  let camera: SimulatedCamera
  private var frame = 0

  init(_ camera: SimulatedCamera) { self.camera = camera }

  func next() async throws -> Data {
    while true {
      frame += 1
      if let bytes = try await camera.frame(at: camera.interval * frame) { return bytes }
    }
  }

  func light(_ levels: CameraMapper.Levels) async throws {
    for (universe, levels) in levels {
      try await camera.light(universe, levels.bytes, at: camera.interval * (frame + 2))
    }
  }
}

@Suite(.releasesNativeObjects)
struct CameraMapperTests {
  private static func gray(_ camera: SimulatedCamera) -> MappingSettings {
    var settings = MappingSettings()
    settings.format = .gray(width: camera.width, height: camera.height)
    return settings
  }

  @Test func rigIsMappedAndWhatWasLitIsRestored() async throws {
    let rig = rig(pars: 12)
    let camera = try SimulatedCamera(.club, seed: 3, width: 320, height: 240, rig: rig)
    let stage = Stage(camera)
    let mapper = CameraMapper(Self.gray(camera))
    let before: CameraMapper.Levels = [try DMXUniverse(0, of: .artNet): DMXLevels(at: 9)]
    let sent = SeenMutex<[CameraMapper.Levels]>([])
    let frames = AsyncStream<Data> { try? await stage.next() }
    var last: CameraMapper.Update?
    for try await update in try await mapper.map(
      rig, frames: frames, restoring: before,
      output: { levels in
        sent.withLock { $0.append(levels) }
        try await stage.light(levels)
      })
    { last = update }
    let done = try #require(last)
    #expect(done.phase == .done && done.part == 1)
    #expect(abs((done.delay ?? 0) - 2) < 2)
    let map = try #require(done.map)
    #expect(map.fixtures.count == 20 && map.found.count == 20)
    for fixture in map.fixtures {
      let (x, y) = (try #require(fixture.x), try #require(fixture.y))
      let normalized = try #require(fixture.normalized)
      #expect(abs(normalized[0] - (x + 0.5) / 160 + 1) < 1e-5 && abs(normalized[1] - 1 + (y + 0.5) / 120) < 1e-5)
    }
    let picture = try await mapper.picture()
    #expect(picture.starts(with: [0x89, 0x50]))
    try await mapper.correct(by: Data(#"{"v":1,"corrections":[{"id":3,"found":false}]}"#.utf8))
    #expect(try await mapper.picture() != picture)
    let error = await #expect(throws: LightingError.self) { try await CameraMapper().picture() }
    #expect(error?.code == .wrongState)
    let verdict = String(decoding: try map.verdict(by: try await camera.truth()), as: UTF8.self)
    #expect(verdict.contains(#""found":20"#) && verdict.contains(#""wrong":0"#), "\(verdict)")
    let levels = sent.withLock(\.self)
    #expect(Set(levels[0].keys.map(\.number)) == [0, 7])
    // Twelve pars on 36 slots; what follows them stays as it was, whatever is lit.
    let (pars, bar) = (try DMXUniverse(0, of: .artNet), try DMXUniverse(7, of: .sacn))
    #expect(levels[0][pars]?.bytes.prefix(36).allSatisfy { $0 == 0 } == true)
    #expect(levels[0][bar]?.bytes.allSatisfy { $0 == 0 } == true)
    // What was not lit before is not lit in the end.
    #expect(levels.last == before.merging([bar: DMXLevels(at: 0)]) { $1 })
    #expect(levels.allSatisfy { $0[pars]?.bytes.dropFirst(36).allSatisfy { $0 == 9 } == true })
    #expect(levels.contains { $0[pars]?.bytes.first == 255 })
  }

  @Test func scheduleIsRunAndKnownPlacesStay() async throws {
    let rig = rig(pars: 4)
    let camera = try SimulatedCamera(.club, seed: 3, width: 320, height: 240, rig: rig)
    let stage = Stage(camera)
    let frames = { AsyncStream<Data> { try? await stage.next() } }
    let mapped = { (settings: MappingSettings) in
      let lit = SeenMutex<[Int]>([])
      let universe = try DMXUniverse(0, of: .artNet)
      let output: CameraMapper.Output = { levels in
        let bytes = levels[universe]?.bytes ?? []
        lit.withLock { $0.append((0..<4).filter { bytes[$0 * 3] == 255 }.count) }
        try await stage.light(levels)
      }
      var last: FixtureMap?
      for try await update in try await CameraMapper(settings).map(rig, frames: frames(), output: output) {
        last = update.map ?? last
      }
      return (try #require(last), lit.withLock(\.self))
    }
    var settings = Self.gray(camera)
    settings.schedule = Data(
      #"{"v":1,"states":["dark","all","bit 3","not 3","bit 2","not 2","bit 1","not 1","bit 0","not 0"],"hold":3}"#.utf8)
    let (found, _) = try await mapped(settings)
    #expect(found.found.count == 12)
    settings.schedule = nil
    settings.known = try found.corrected(
      by: Data(
        #"{"v":1,"corrections":[{"id":2,"found":false},{"id":6,"found":false},{"id":9,"found":false},{"id":3,"x":7,"y":9}]}"#
          .utf8)
    ).json
    let (again, lit) = try await mapped(settings)
    #expect(again.found.count == 12 && again.fixtures[3].x == 7)
    #expect(again.fixtures[1].x == found.fixtures[1].x && again.fixtures[1].y == found.fixtures[1].y)
    let (x, there) = (try #require(again.fixtures[2].x), try #require(found.fixtures[2].x))
    #expect(abs(x - there) < 0.5)
    // At most the one of them that has no place, also while the delay is measured.
    #expect(Set(lit) == [0, 1])
    settings.known = Data(#"{"v":1,"width":1,"height":1,"fixtures":[]}"#.utf8)
    await #expect(throws: LightingError.self) { _ = try await mapped(settings) }
  }

  @Test func cameraThatDropsFramesIsLateAndExposesIsFollowed() async throws {
    var settings = MappingSettings()
    settings.hold = 3
    let camera = try SimulatedCamera(
      .club, seed: 4, count: 60, settings: settings, drops: 0.05, autoExposure: 0.3, delay: 4)
    settings.format = .gray(width: camera.width, height: camera.height)
    #expect(camera.frameCount == 46)
    let recorded = try RecordedMapping(count: 60, settings: settings)
    var dropped = 0
    for _ in 0..<46 {
      guard let frame = try await camera.frame() else { dropped += 1; continue }
      try recorded.add(frame)
    }
    #expect(dropped > 0 && recorded.frameCount == UInt64(46 - dropped))
    let verdict = String(decoding: try recorded.map().verdict(by: try await camera.truth()), as: UTF8.self)
    #expect(verdict.contains(#""found":60"#) && verdict.contains(#""wrong":0"#), "\(verdict)")
    #expect(throws: LightingError.self) { try SimulatedCamera(.club, drops: 0.6) }
    #expect(throws: LightingError.self) { try SimulatedCamera(.club, delay: .nan) }
  }

  @Test func cancelRestoresBeforeItReturns() async throws {
    let rig = rig(pars: 2)
    let (frames, more) = AsyncStream.makeStream(of: Data.self)
    let mapper = CameraMapper()
    let before: CameraMapper.Levels = [try DMXUniverse(0, of: .artNet): DMXLevels(at: 9)]
    let sent = SeenMutex<[CameraMapper.Levels]>([])
    let updates = try await mapper.map(rig, frames: frames, restoring: before) { levels in
      sent.withLock { $0.append(levels) }
    }
    more.yield(Data("YUV4MPEG2 W2 H2 Cmono\nFRAME\n0000".utf8))
    await mapper.cancel()
    #expect(sent.withLock(\.last) == before.merging([try DMXUniverse(7, of: .sacn): DMXLevels(at: 0)]) { $1 })
    for try await _ in updates {}
  }

  /// Universes without levels before stayed lit, as the mapping was cancelled while all was.
  @Test func cancelLeavesNothingLitThatWasNot() async throws {
    let rig = rig(pars: 2)
    let bar = try DMXUniverse(7, of: .sacn)
    let (frames, more) = AsyncStream.makeStream(of: Data.self)
    var settings = MappingSettings()
    settings.format = .gray(width: 2, height: 2)
    let mapper = CameraMapper(settings)
    let sent = SeenMutex<[CameraMapper.Levels]>([])
    let updates = try await mapper.map(
      rig, frames: frames, restoring: [try DMXUniverse(0, of: .artNet): DMXLevels(at: 9)]
    ) { levels in
      sent.withLock { $0.append(levels) }
    }
    let isLit = { sent.withLock { $0.last?[bar]?.bytes.contains(255) == true } }
    var frame = updates.makeAsyncIterator()
    for _ in 0..<20 where !isLit() {
      more.yield(Data(count: 4))
      _ = try await frame.next()
    }
    #expect(isLit())
    await mapper.cancel()
    #expect(sent.withLock { $0.last?[bar]?.bytes.allSatisfy { $0 == 0 } } == true)
  }

  /// A sender refuses universes of different lengths in one frame, and a task that is cancelled has no time to restore.
  @Test func shorterUniversesAreRestoredByAnOutputThatEndsWhenCancelled() async throws {
    let pars = try DMXUniverse(0, of: .artNet)
    var configuration = DMXSenderConfiguration(.artNet)
    (configuration.interface, configuration.destinations) = ("127.0.0.1", ["127.0.0.1"])
    let sender = try DMXSender(configuration)
    _ = try await sender.start()
    let (frames, more) = AsyncStream.makeStream(of: Data.self)
    let mapper = CameraMapper()
    let sending = CameraMapper.sending(to: [sender])
    let sent = SeenMutex<CameraMapper.Levels>([:])
    let before: CameraMapper.Levels = [pars: DMXLevels(slots: 24, at: 9)]
    // A bar on the same protocol has levels of all slots.
    let rig = Data(String(decoding: rig(pars: 2), as: UTF8.self).replacing("sacn", with: "artnet").utf8)
    let updates = try await mapper.map(rig, frames: frames, restoring: before) { levels in
      try Task.checkCancellation()
      try await sending(levels)
      sent.withLock { $0 = levels }
    }
    more.yield(Data("YUV4MPEG2 W2 H2 Cmono\nFRAME\n0000".utf8))
    await mapper.cancel()
    let last = sent.withLock(\.self)
    #expect(last[pars]?.bytes == [UInt8](repeating: 9, count: 24) + [UInt8](repeating: 0, count: 488))
    #expect(last.count == 2 && last.values.allSatisfy { $0.bytes.count == 512 })
    for try await _ in updates {}
    await sender.stop()
  }

  @Test func mappingsWhoseCallsOverlapFollowEachOtherAndAllEnd() async throws {
    let rig = rig(pars: 1)
    let pars = try DMXUniverse(0, of: .artNet)
    let before: CameraMapper.Levels = [pars: DMXLevels(at: 9)]
    // Mappings that lit and were not restored, the most at once, and all.
    let counts = SeenMutex((now: 0, most: 0, all: 0))
    let mapper = CameraMapper()
    let map = { @Sendable in
      let (frames, _) = AsyncStream.makeStream(of: Data.self)
      return try await mapper.map(rig, frames: frames, restoring: before) { levels in
        guard levels[pars] == before[pars] else {
          return counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
        }
        // The other calls come while this one restores.
        for _ in 0..<1_000 { await Task.yield() }
        counts.withLock { $0.now -= 1 }
      }
    }
    for _ in 0..<10 {
      let first = try await map()
      async let one = map()
      async let other = map()
      async let ended: Void = mapper.cancel()
      let streams = try await [first, one, other]
      await ended
      await mapper.cancel()
      #expect(counts.withLock(\.now) == 0)
      withExtendedLifetime(streams) {}
    }
    #expect(counts.withLock(\.most) == 1 && counts.withLock(\.all) == 30)
  }

  @Test func framesThatEndOrAreNoneAreErrorsThatRestore() async throws {
    let rig = rig(pars: 2)
    for (bytes, expected) in [("YUV4MPEG2 W2 H2 Cmono\nFRAME\n0000", "got 1 frames"), ("GIF", "begins with YUV4MPEG2")]
    {
      let count = SeenMutex(0)
      let frames = AsyncStream<Data> { continuation in
        continuation.yield(Data(bytes.utf8))
        continuation.finish()
      }
      let updates = try await CameraMapper().map(rig, frames: frames) { _ in count.withLock { $0 += 1 } }
      let error = await #expect(throws: LightingError.self) { for try await _ in updates {} }
      #expect(error?.code == .malformedInput && error?.message.contains(expected) == true, "\(error?.message ?? "")")
      #expect(count.withLock(\.self) >= 2)
    }
  }

  /// The camera's program may also be ended in the middle of a frame.
  @Test(arguments: [[], [Data(count: 100)]])
  func whatWasFoundIsKnownWhenTheCameraEndsInTheSecondPass(rest: [Data]) async throws {
    let rig = rig(pars: 4)
    let camera = try SimulatedCamera(.dark, width: 320, height: 240, rig: rig)
    let stage = Stage(camera)
    let isOver = SeenMutex(false)
    let left = SeenMutex(rest)
    // Each frame waits until the update of the one before was taken.
    let (taken, next) = AsyncStream.makeStream(of: Void.self)
    next.yield()
    let frames = AsyncStream<Data> {
      for await _ in taken { break }
      return isOver.withLock(\.self) ? left.withLock { $0.popLast() } : try? await stage.next()
    }
    let updates = try await CameraMapper(Self.gray(camera)).map(rig, frames: frames) { levels in
      // The bar is dead.
      try await stage.light(levels.filter { $0.key.protocol == .artNet })
    }
    var last: CameraMapper.Update?
    let error = await #expect(throws: LightingError.self) {
      for try await update in updates {
        if update.phase == .again { isOver.withLock { $0 = true } }
        last = update
        next.yield()
      }
    }
    #expect(
      error?.message.contains(rest.isEmpty ? "until the mapping is done" : "a whole frame, got its first 100 bytes")
        == true)
    #expect(last?.phase == .done && last?.map?.found.map(\.id) == [0, 1, 2, 3])
  }

  @Test func outputThatFailsEndsTheMapping() async throws {
    struct Failure: Error {}
    let frames = AsyncStream<Data> { Data("YUV4MPEG2 W2 H2 Cmono\n".utf8) }
    let updates = try await CameraMapper().map(rig(pars: 1), frames: frames) { _ in throw Failure() }
    await #expect(throws: Failure.self) { for try await _ in updates {} }
  }

  @Test func rigAndSettingsThatCannotBeUsedAreRefused() async throws {
    let frames = AsyncStream<Data> { nil }
    for (rig, code) in [
      ("{", LightingError.Code.malformedInput), (#"{"v":1,"fixtures":[]}"#, .malformedInput),
      (#"{"v":1,"fixtures":[{"id":1}]}"#, .malformedInput),
    ] {
      let error = await #expect(throws: LightingError.self) {
        try await CameraMapper().map(Data(rig.utf8), frames: frames) { _ in }
      }
      #expect(error?.code == code)
    }
    var settings = MappingSettings()
    settings.hold = 0
    let error = #expect(throws: LightingError.self) { _ = try RecordedMapping(count: 3, settings: settings) }
    #expect(error?.code == .validation)
    #expect(throws: LightingError.self) { _ = try RecordedMapping(count: 0) }
  }

  @MainActor
  @Test func modelShowsTheMapAndStops() async throws {
    let rig = rig(pars: 4)
    let camera = try SimulatedCamera(.dark, width: 320, height: 240, rig: rig)
    let stage = Stage(camera)
    let model = CameraMapperViewModel(CameraMapper(Self.gray(camera)))
    model.start(rig, frames: AsyncStream<Data> { try? await stage.next() }) { try await stage.light($0) }
    #expect(model.isRunning)
    while model.isRunning { await Task.yield() }
    #expect(model.error == nil && model.map?.found.count == 12 && model.update?.phase == .done)
    model.start(rig, frames: AsyncStream.makeStream(of: Data.self).stream) { _ in }
    await model.stop()
    #expect(!model.isRunning)
  }
}

@Suite(.releasesNativeObjects)
struct FixtureMapTests {
  @Test func recordingIsDecodedCorrectedAndPlanned() async throws {
    let camera = try SimulatedCamera(.club, width: 320, height: 240, count: 30)
    var settings = MappingSettings()
    settings.format = .gray(width: 320, height: 240)
    let mapping = try RecordedMapping(count: 30, settings: settings)
    for _ in 0..<(try #require(camera.frameCount)) {
      if let frame = try await camera.frame() { try mapping.add(frame) }
    }
    try mapping.end()
    #expect(mapping.frameCount == 24)
    let map = try mapping.map()
    #expect(map.found.count == 30 && map.width == 320 && map.height == 240)
    #expect(try mapping.picture().starts(with: [0x89, 0x50]))
    #expect(try String(decoding: mapping.schedule(), as: UTF8.self).contains("\"bit 4\""))
    let corrections = Data(#"{"v":1,"corrections":[{"id":3,"found":false},{"swap":[0,1]}]}"#.utf8)
    let corrected = try map.corrected(by: corrections)
    #expect(corrected.found.count == 29 && corrected.fixtures[0].x == map.fixtures[1].x)
    let points = Data(
      #"{"v":1,"points":[{"pixel":[0,0],"plan":[0,6]},{"pixel":[320,0],"plan":[8,6]},{"pixel":[320,240],"plan":[8,0]},{"pixel":[0,240],"plan":[0,0]}]}"#
        .utf8)
    let plan = try CoordinateMap(map, points: points)
    #expect(plan.places.count == 30 && plan.residuals.allSatisfy { $0 < 1e-6 })
    let first = try #require(map.fixtures[0].x)
    #expect(abs(plan.places[0].x - first / 40) < 1e-6)
    let placed = try plan.placing(rig(pars: 22))
    #expect(String(decoding: placed, as: UTF8.self).contains("\"position\""))
    #expect(throws: LightingError.self) { try CoordinateMap(map, points: Data("{}".utf8)) }
    #expect(throws: LightingError.self) { try map.corrected(by: Data()) }
    #expect(throws: LightingError.self) { try FixtureMap(json: Data("{}".utf8)) }
  }
}
