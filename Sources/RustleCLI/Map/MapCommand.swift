internal import ArgumentParser
import Foundation
import RustleFiles
import RustleLighting
import RustlePlot

struct MapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map", abstract: "Find the fixtures of a rig with a camera.",
    subcommands: [
      MapRunCommand.self, MapDecodeCommand.self, MapSimulateCommand.self, MapJudgeCommand.self, MapPlanCommand.self,
      MapLocateCommand.self,
    ])
}

/// The size of frames: `640x480`.
struct FrameSize: ExpressibleByArgument, Equatable {
  let width: Int
  let height: Int

  init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

  init?(argument: String) {
    let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
    guard (1...8_192).contains(width), (1...8_192).contains(height) else { return nil }
    self.init(width: width, height: height)
  }

  var defaultValueDescription: String { "\(width)x\(height)" }
}

/// The options of commands that distinguish fixtures.
struct MappingOptions: ParsableArguments {
  @Option(
    help: "How fixtures are distinguished: by the bits of their ids, by those and check bits, or one after the other.")
  var method = MappingSettings.Method.coded

  @Option(
    "Frames that each state is held for, 1 to 1000.", value: "frames", parse: Parse.integer("frames", in: 1...1_000))
  var hold = 2

  var settings: MappingSettings {
    var settings = MappingSettings()
    (settings.method, settings.hold) = (method, hold)
    return settings
  }
}

/// The options of commands that find fixtures in frames.
struct MapInputOptions: ParsableArguments {
  @Option(
    "File of the schedule, in place of --method and --hold.", value: "file", completion: .file(extensions: ["json"]))
  var schedule: String?

  @Option(
    help: ArgumentHelp(
      "Size of frames of gray without a header, such as 640x480: 1 to 8192 pixels a side.", valueName: "size"))
  var gray: FrameSize?

  @Option(
    "Earlier map, whose places stay: only the other fixtures get places. It has the size of the frames.", value: "file",
    completion: .file(extensions: ["json"]))
  var known: String?

  /// The files of these options, with the corrections of an earlier map, which is one of so many fixtures or of a rig.
  func read(
    into settings: inout MappingSettings, _ output: MapOutputOptions, _ corrections: Data?, count: Int, rig: Data?
  ) throws {
    if let schedule {
      settings.schedule = try TextFile.bytes(of: schedule, option: "--schedule", limit: MapFiles.longest)
      // Before anything starts.
      var alone = MappingSettings()
      _ = try RecordedMapping(count: count, rig: rig, settings: alone)
      alone.schedule = settings.schedule
      try CommandFailure.naming(schedule) { _ = try RecordedMapping(count: count, rig: rig, settings: alone) }
    }
    if let gray { settings.format = .gray(width: gray.width, height: gray.height) }
    guard let known else { return }
    let map = try TextFile.value(of: known, option: "--known", limit: MapFiles.longest) { try FixtureMap(json: $0) }
    let before =
      try corrections.map { try output.correct(by: $0) { try map.corrected(by: $0) } }?.json ?? map.json
    var alone = MappingSettings()
    _ = try RecordedMapping(count: count, rig: rig, settings: alone)
    alone.known = before
    try CommandFailure.naming("--known: \(known)") { _ = try RecordedMapping(count: count, rig: rig, settings: alone) }
    settings.known = before
  }
}

/// The options of commands that write a map.
struct MapOutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output-file")],
    help: ArgumentHelp(
      "File of the map; one that is there is replaced. (default: standard output)", valueName: "file"))
  var output: String?

  @Option(
    """
    Corrections to apply, such as {"v": 1, "corrections": [{"id": 3, "x": 81.5, "y": 40}, {"id": 4, "found": false}, \
    {"swap": [1, 2]}]}; with --known, to that map.
    """,
    value: "file",
    completion: .file(extensions: ["json"]))
  var corrections: String?

  @Option("Draw the map into this PNG file.", value: "path", completion: .file(extensions: ["png"]))
  var overlay: String?

  func check(isNot inputs: [String?]) throws {
    for input in inputs + [corrections] {
      if let output { try OutputPath.check(output, option: "--output-file", isNot: input) }
      if let overlay { try OutputPath.check(overlay, option: "--overlay", isNot: input) }
    }
    if let output, let overlay {
      try OutputPath.check(overlay, option: "--overlay", isNot: output, of: "--output-file")
    }
  }

  /// The file of the corrections, which is read before any work.
  func readCorrections() throws -> Data? {
    try corrections.map { try TextFile.bytes(of: $0, option: "--corrections") }
  }

  /// Applies corrections; their file is named in errors.
  func correct<Corrected>(by file: Data, _ apply: (Data) throws -> Corrected) throws -> Corrected {
    try CommandFailure.naming(corrections ?? "--corrections") { try apply(file) }
  }

  /// Writes a map.
  func write(_ map: FixtureMap, _ log: LogOptions) throws {
    try MapFiles.write(map.json, to: output)
    var reasons: [FixtureMap.Reason: Int] = [:]
    for fixture in map.fixtures {
      if let reason = fixture.reason { reasons[reason, default: 0] += 1 }
    }
    let missing = FixtureMap.Reason.allCases.compactMap { reason in reasons[reason].map { "\($0) \(reason.rawValue)" } }
    let unsure = map.found.filter { $0.sure == false }.count
    log.note(
      "\(map.found.count) of \(map.fixtures.count) fixtures found, \(unsure) of them unsure"
        + (missing.isEmpty ? "" : "; not found: \(missing.joined(separator: ", "))"))
  }
}

enum MapFiles {
  /// The most bytes of a map, a truth, points or corrections.
  static let longest = 64 << 20

  static func write(_ bytes: Data, to path: String?) throws {
    guard let path else { return try LineWriter.standardOutput.write(bytes) }
    try PictureFile.write(bytes, to: path)
  }

  static func isPicture(_ path: String) -> Bool {
    path.lowercased().hasSuffix(".png") || path.lowercased().hasSuffix(".pgm")
  }

  /// The file, or the pictures of a folder by their names, numbers in them by their values.
  static func recordings(at path: String) throws -> [String] {
    guard type(of: path) == .typeDirectory else { return [path] }
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
      throw CommandFailure(.noInput, "<recording>: \(path): cannot be read: \(SystemError.reason(behind: error))")
    }
    let pictures = names.filter(isPicture).sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    if pictures.isEmpty {
      throw CommandFailure(.badData, "<recording>: \(path): expected PNG or PGM files in the folder, got none")
    }
    return pictures.map { URL(filePath: path).appending(path: $0).path }
  }

  /// The bytes of a file or of a pipe, a piece at a time.
  static func pieces(of path: String, option: String, _ body: (Data) throws -> Void) throws {
    let handle = try open(path, option: option)
    defer { if path != "-" { try? handle.close() } }
    while true {
      let piece: Data?
      do { piece = try handle.read(upToCount: 1 << 20) } catch {
        throw CommandFailure(.noInput, "\(option): \(path): cannot be read: \(SystemError.reason(behind: error))")
      }
      guard let piece, !piece.isEmpty else { return }
      try body(piece)
    }
  }

  /// As they come; a file that cannot be opened ends it.
  static func stream(of path: String, option: String) throws -> CameraBytes {
    let handle = try open(path, option: option)
    return CameraBytes { handle }
  }

  /// The type of what a path or a link names; nil: nothing.
  private static func type(of path: String) -> FileAttributeType? {
    let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return (try? FileManager.default.attributesOfItem(atPath: resolved))?[.type] as? FileAttributeType
  }

  private static func open(_ path: String, option: String) throws -> FileHandle {
    if path == "-" { return .standardInput }
    let type = Self.type(of: path)
    guard let type, type != .typeDirectory, let handle = FileHandle(forReadingAtPath: path) else {
      let reason =
        switch type {
        case nil: "no such file"
        case .typeDirectory?: "expected a file, got a folder"
        case .some: "cannot be read"
        }
      throw CommandFailure(.noInput, "\(option): \(path): \(reason)", advice: "Check the path.")
    }
    return handle
  }
}

/// What commands without an input map.
enum MapDemo {
  static let count = 100

  /// A simulated recording, and its truth.
  static func recorded(
    _ settings: MappingSettings, correct: (RecordedMapping) throws -> Void = { _ in }
  ) async throws -> (map: FixtureMap, truth: Data, picture: Data) {
    let camera = try SimulatedCamera(.club, width: 320, height: 240, count: count, settings: settings)
    var gray = settings
    gray.format = .gray(width: camera.width, height: camera.height)
    let mapping = try RecordedMapping(count: count, settings: gray)
    for _ in 0..<(camera.frameCount ?? 0) {
      if let frame = try await camera.frame() { try mapping.add(frame) }
    }
    try mapping.end()
    try correct(mapping)
    return (try mapping.map(), try await camera.truth(), try mapping.picture())
  }
}
