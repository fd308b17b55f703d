import Foundation
import RustleCore
import RustleFiles
import RustleLighting
import RustlePlot

/// A show in virtual time.
struct Rendering {
  private let controller: LightingController
  private let runtime: NativeRuntime
  /// The time of the runtime in nanoseconds.
  private let time = Shared<UInt64>(0)
  /// A frame at 44 Hz in nanoseconds, as senders count it: 1,000,000,000 / 44.
  private static let rate = 44.0
  private static let second = 1e9
  /// The most time in nanoseconds that passes before a cancellation is seen.
  private static let piece: UInt64 = 100_000_000

  init(_ show: LightShow, configuration: LightingController.Configuration) throws {
    runtime = try LightingError.rethrowing { () throws(NativeError) in try NativeRuntime(wallMilliseconds: 0) }
    controller = LightingController(show, configuration: configuration, runtime: runtime)
  }

  /// Lets the time pass up to a moment of the show; `onProgress` hears the seconds so far.
  private func advance(to seconds: Double, onProgress: (Double) -> Void) async throws {
    let end = UInt64((seconds * Self.second).rounded())
    while time.value < end {
      try Task.checkCancellation()
      let step = min(end - time.value, Self.piece)
      runtime.advance(nanoseconds: step)
      time.value += step
      onProgress(Double(time.value) / Self.second)
      // Signals are handled meanwhile.
      await Task.yield()
    }
  }

  /// The venue at a time, drawn in each of some ways.
  func pictures(
    _ settings: [VenuePictureOptions], at seconds: Double, onProgress: (Double) -> Void
  ) async throws -> [Data] {
    try await finally {
      await controller.stop()
    } after: {
      try await controller.start()
      // The first frame is rendered before its time.
      try await advance(to: seconds + 1 / Self.rate, onProgress: onProgress)
      var drawn: [Data] = []
      for picture in settings { drawn.append(try await controller.picture(picture)) }
      return drawn
    }
  }

  /// Writes the changes of universes, each as a line of a recording.
  func lines(
    from: Double, to: Double, onProgress: (Double) -> Void, _ write: (String) throws -> Void
  ) async throws {
    try await finally {
      await controller.stop()
    } after: {
      try await controller.start()
      let table = Table(Self.columns, kind: nil, format: .ndjson, profile: .present(isASCIIAskedFor: true)) { _ in "" }
      var last = [DMXUniverse: [UInt8]]()
      var frame = (from * Self.rate).rounded(.up)
      while frame / Self.rate < to {
        try await advance(to: (frame + 1) / Self.rate, onProgress: onProgress)
        let levels = try await controller.levels()
        let changed = levels.filter { last[$0.key] != $0.value }.sorted { $0.key < $1.key }
        let time = Int(((frame / Self.rate - from) * 1_000).rounded())
        try write(table.lines(changed.map { Levels(time: time, universe: $0.key, slots: $0.value) }))
        last = levels
        frame += 1
      }
    }
  }

  /// Writes the packets to a capture; those of two protocols in the order of their times.
  ///
  /// - Parameter file: where the capture is going to be: each protocol has its own in the same folder meanwhile.
  func capture(
    to path: String, of file: String, from: Double, to: Double, onProgress: (Double) -> Void
  ) async throws {
    let used = try Set(controller.show.fixtures().map(\.universe.protocol))
    let kinds = DMXProtocol.allCases.filter(used.contains)
    guard kinds.count > 1 else {
      return try await capture([(kinds.first ?? .sacn, path)], from: from, to: to, onProgress: onProgress)
    }
    let parts = kinds.map { ($0, FileReplacement(of: file)) }
    defer { for part in parts { part.1.discard() } }
    let paths = parts.map { ($0.0, $0.1.path) }
    try await capture(paths, from: from, to: to, onProgress: onProgress)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    do {
      try PacketCapture.merge(paths.map(\.1), into: file)
    } catch let failure as PacketCapture.Failure {
      throw Self.unwritable(failure.reason)
    }
  }

  /// Writes the packets of each protocol to a capture.
  private func capture(
    _ captures: [(DMXProtocol, String)], from: Double, to: Double, onProgress: (Double) -> Void
  ) async throws {
    let senders = try captures.map { kind, path in
      var configuration = DMXSenderConfiguration(kind, cid: Self.identity, name: "rustle light render")
      configuration.interface = DMXSenderConfiguration.demoInterface
      configuration.capture = path
      return try DMXSender(configuration, runtime: runtime)
    }
    try await finally {
      await controller.stop()
    } after: {
      if from > 0 {
        try await controller.start()
        try await advance(to: from, onProgress: onProgress)
        for sender in senders { try await controller.add(sender) }
      } else {
        try await controller.start(outputs: senders)
      }
      var reached = from
      while reached < to {
        reached = min(reached + 1, to)
        try await advance(to: reached, onProgress: onProgress)
        try await check(senders)
      }
    }
    // The end has packets too.
    try await check(senders)
  }

  /// Fails where packets could not be written: the disk is full.
  private func check(_ senders: [DMXSender]) async throws {
    for sender in senders where await sender.report?.refusals ?? 0 > 0 {
      throw Self.unwritable("cannot write every packet")
    }
  }

  private static func unwritable(_ reason: String) -> CommandFailure {
    CommandFailure(.unavailable, "--output-file: \(reason)", advice: "Check the disk that the file is on.")
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
