import Foundation
import RustleCore
import RustleLighting
import RustlePlot

/// A show in virtual time.
struct Rendering {
  private let controller: LightingController
  private let runtime: NativeRuntime
  /// A frame at 44 Hz in nanoseconds, as senders count it: 1,000,000,000 / 44.
  private static let rate = 44.0
  private static let second = 1e9

  init(_ show: LightShow, configuration: LightingController.Configuration) throws {
    runtime = try LightingError.rethrowing { () throws(NativeError) in try NativeRuntime(wallMilliseconds: 0) }
    controller = LightingController(show, configuration: configuration, runtime: runtime)
  }

  private func advance(by seconds: Double) { runtime.advance(nanoseconds: UInt64((seconds * Self.second).rounded())) }

  /// The venue at a time.
  func picture(_ settings: VenuePicture, at seconds: Double) async throws -> Data {
    try await finally {
      await end()
    } after: {
      try await controller.start()
      // The first frame is rendered before its time.
      advance(by: seconds + 1 / Self.rate)
      return try await controller.picture(settings)
    }
  }

  /// The changes of universes, each as a line of a recording.
  func lines(from: Double, to: Double) async throws -> String {
    try await finally {
      await end()
    } after: {
      try await controller.start()
      advance(by: from + 1 / Self.rate)
      let table = Table(Self.columns, kind: nil, format: .ndjson, profile: .present(isASCIIAskedFor: true)) { _ in "" }
      var (text, last) = ("", [DMXUniverse: [UInt8]]())
      var frame = (from * Self.rate).rounded()
      while frame / Self.rate < to {
        let levels = try await controller.levels()
        let changed = levels.filter { last[$0.key] != $0.value }.sorted { $0.key < $1.key }
        let time = Int(((frame / Self.rate - from) * 1_000).rounded())
        text += table.lines(changed.map { Levels(time: time, universe: $0.key, slots: $0.value) })
        last = levels
        advance(by: 1 / Self.rate)
        frame += 1
      }
      return text
    }
  }

  /// Writes the packets to a capture.
  func capture(to path: String, from: Double, to: Double) async throws {
    try await finally {
      await end()
    } after: {
      let kinds = try await protocols()
      guard kinds.count <= 1 else {
        throw CommandFailure(
          .badData, "--output: expected a rig with universes of one protocol, got one of both",
          advice: "render a rig for each protocol")
      }
      var configuration = DMXConfiguration(kinds.first ?? .sacn, cid: Self.identity, name: "rustle light render")
      configuration.interface = DMXConfiguration.demoInterface
      configuration.capture = path
      let sender = try DMXSender(configuration, runtime: runtime)
      if from > 0 {
        try await controller.start()
        advance(by: from)
        try await controller.add(sender)
      } else {
        try await controller.start(outputs: [sender])
      }
      advance(by: to - from)
    }
  }

  /// The protocols of the rig's universes.
  private func protocols() async throws -> Set<DMXProtocol> {
    let probe = LightingController(controller.show, runtime: runtime)
    try await probe.start()
    let kinds = Set(try await probe.levels().keys.map(\.protocol))
    let ending = Task { await probe.stop() }
    runtime.advance(nanoseconds: 0)
    await ending.value
    return kinds
  }

  private func end() async {
    let ending = Task { [controller] in await controller.stop() }
    // Releases follow the clock.
    while !ending.isCancelled, await !isOver(ending) { advance(by: 1 / Self.rate) }
  }

  private func isOver(_ task: Task<Void, Never>) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await task.value
        return true
      }
      group.addTask {
        try? await Task.sleep(for: .milliseconds(1))
        return false
      }
      let isOver = await group.next() ?? true
      group.cancelAll()
      return isOver
    }
  }

  /// The identity of rendered packets, always the same one.
  private static let identity = UUID(uuid: (0x72, 0x75, 0x73, 0x74, 0x6C, 0x65, 0x40, 0x00, 0x80, 0, 0, 0, 0, 0, 0, 1))

  private struct Levels: Sendable {
    let time: Int
    let universe: DMXUniverse
    let slots: [UInt8]
  }

  private static let columns: [Column<Levels>] = [
    Column("t_ms", \.time), Column("protocol", \.universe.protocol.rawValue), Column("universe", \.universe.number),
    Column("sources") { _ in 1 }, Column("dmx") { $0.slots.map(Int.init) },
  ]
}
