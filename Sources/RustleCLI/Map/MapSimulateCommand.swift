internal import ArgumentParser
import Foundation
import RustleCore
import RustleLighting
import RustlePlot

struct MapSimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Film simulated fixtures.",
    usage: """
      rustle map simulate [--scene <scene>] [--seed <number>]
              [--count <number>] [--size <size>] [--drops <part>]
              [--auto-exposure <part>] [--delay <frames>]
              [--truth <file>] [-o <file>]
              [--rig <file> --universes <list> [--interface <name>]]
      """,
    discussion: """
      Writes YUV4MPEG2, 30 frames a second. Without --rig it is the recording of a schedule. With --rig the levels that are received light \
      the fixtures, in real time and until the end of --duration: the camera of rustle map run. A hard scene has people, mirrors, windows, \
      flicker, dead fixtures, ones closer than their blur, and a shutter that rolls. The truth is JSON: where each fixture is, and whether \
      it has light.

      EXAMPLES:
        rustle map simulate --scene club --count 300 --truth truth.json -o take.y4m
        rustle map simulate --rig rig.json --protocol artnet \\
          --universes 0-1 --interface lo |
          rustle map run --rig rig.json --frames - \\
          --output artnet:127.0.0.1 -o found.json
      """)

  @Option(help: "How hard the scene is.")
  var scene = SimulatedCamera.Scene.club

  @Option(
    "Seed of all that is drawn, 0 to 2147483647.", value: "number",
    parse: Parse.integer("a seed", in: 0...Int(Int32.max)))
  var seed = 1

  @Option(
    "Number of fixtures without a rig, 1 to 65536.", value: "number", parse: Parse.integer("fixtures", in: 1...65_536))
  var count = 100

  @Option(help: "Size of the picture, with sides of 32 or more.")
  var size = FrameSize(width: 640, height: 480)

  @OptionGroup var mapping: MappingOptions

  @Option(
    "Probability that a frame is dropped, 0 to 0.5. (default: that of the scene)", value: "part",
    parse: Parse.number("a part", in: 0...0.5))
  var drops: Double?

  @Option(
    "Part of a wrong exposure that the camera puts right from frame to frame, 0 to 1. (default: that of the scene)",
    value: "part", parse: Parse.number("a part", in: 0...1))
  var autoExposure: Double?

  @Option(
    "Time from a change to the frame that shows it, 0 to 15 frames. (default: that of the scene)", value: "frames",
    parse: Parse.number("frames", in: 0...15))
  var delay: Double?

  @Option("File of the rig that is filmed.", value: "file", completion: .file(extensions: ["json"]))
  var rig: String?

  @OptionGroup var received: DMXReceiverOptions

  @Option("Write the truth to this file.", value: "path", completion: .file(extensions: ["json"]))
  var truth: String?

  @Option(
    name: [.customShort("o"), .customLong("output-file")],
    help: ArgumentHelp(
      "File of the frames; one that is there is replaced. (default: standard output)", valueName: "file"))
  var output: String?

  @OptionGroup var log: LogOptions

  func validate() throws {
    try Parse.reject(
      (rig != nil && output != nil, "--output-file cannot be used with --rig: frames go to standard output"))
  }

  func run() async throws {
    log.bootstrap()
    if let output { try OutputPath.check(output, option: "--output-file", isNot: rig) }
    if let truth {
      try OutputPath.check(truth, option: "--truth", isNot: rig)
      if let output { try OutputPath.check(truth, option: "--truth", isNot: output, of: "--output-file") }
    }
    let file = try rig.map { try TextFile.bytes(of: $0, option: "--rig", limit: TextFile.longestShow) }
    let camera = try CommandFailure.naming(rig ?? "--size", rig == nil ? .usage : .badData) {
      try SimulatedCamera(
        scene, seed: UInt64(seed), width: size.width, height: size.height, count: count, rig: file,
        settings: mapping.settings, drops: drops, autoExposure: autoExposure, delay: delay)
    }
    if let truth { try PictureFile.write(try await camera.truth(), to: truth) }
    let header = Data("YUV4MPEG2 W\(size.width) H\(size.height) F30:1 Ip A1:1 Cmono XCOLORRANGE=FULL\n".utf8)
    let start = Data("FRAME\n".utf8)
    guard let frames = camera.frameCount else { return try await film(camera, header, start) }
    guard let output else {
      try LineWriter.standardOutput.write(header)
      for _ in 0..<frames {
        if let frame = try await camera.frame() { try LineWriter.standardOutput.write(start + frame) }
      }
      return
    }
    // Signals are handled before a temporary file exists.
    let signals = await Signals.stream(of: RunEnding.signals)
    let ending = try await RunEnding.first { tasks in
      tasks.addTask {
        try await ReplacedFile.write(output) { path in
          let file = LineWriter(try FileHandle(forWritingTo: URL(fileURLWithPath: path)))
          try file.write(header)
          for _ in 0..<frames {
            try Task.checkCancellation()
            if let frame = try await camera.frame() { try file.write(start + frame) }
          }
        }
        return .streamEnded
      }
      tasks.addTask { try await RunEnding.signal(from: signals, isForced: false) }
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  /// Films what the received levels light.
  private func film(_ camera: SimulatedCamera, _ header: Data, _ start: Data) async throws {
    let receiver = try DMXReceiver(try received.configuration(of: "rustle map simulate"))
    let clock = ContinuousClock()
    let begin = clock.now
    let ending = try await finally {
      await receiver.cancel()
    } after: {
      try await RunEnding.of(view: LiveBoard<DMXUniverseBoard>?.none, isForced: false) { tasks in
        let levels = try await receiver.levels(buffering: .latest)
        tasks.addTask {
          for await case .value(let change) in levels {
            try await camera.light(change.universe, change.levels, at: clock.now - begin)
          }
          return .streamEnded
        }
        tasks.addTask {
          try LineWriter.standardOutput.write(header)
          var frame = 1
          while !Task.isCancelled {
            try await clock.sleep(until: begin + camera.interval * frame)
            // The exposure that has just ended.
            if let bytes = try await camera.frame(at: camera.interval * (frame - 1)) {
              try LineWriter.standardOutput.write(start + bytes)
            }
            // A frame whose time is over is lost.
            frame = max(frame + 1, Int((clock.now - begin) / camera.interval))
          }
          return nil
        }
        tasks.addEnd(after: received.network.limit.seconds) { await receiver.cancel() }
      }
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }
}
