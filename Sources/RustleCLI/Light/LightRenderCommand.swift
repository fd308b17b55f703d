internal import ArgumentParser
import Foundation
import RustleCore
import RustleLighting
import RustlePlot

struct LightRenderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Render a show without sending it.",
    usage: """
      rustle light render [<show>] -o <file> [--from <seconds>]
              [--to <seconds>] [--rig <file>] [--tempo <bpm>]
      """,
    discussion: """
      The end of the output's name decides: .pcap, the packets that would be sent, with their times; .ndjson, a line for each change \
      of a universe, as dmx record writes them; .png and .svg, the venue at --from. The time is virtual: the same show makes the same \
      bytes. A file is complete or not there: Ctrl-C and SIGTERM leave the older one.

      EXAMPLES:
        rustle light render show.json -o show.pcap --to 60
        rustle light render --demo heads -o heads.png --from 12.5
        rustle light render show.json -o show.ndjson --to 10
      """)

  @OptionGroup var show: ShowOptions
  @OptionGroup var tempo: RenderedTempo

  @Option(
    name: [.customShort("o"), .customLong("output-file")],
    help: ArgumentHelp("File to write; one that is there is replaced.", valueName: "file"))
  var file: String

  @Option(
    "Start of what is written, in seconds of the show.", value: "seconds", parse: Parse.number("seconds", in: 0...1e6))
  var from = 0.0

  @Option(
    "End of what is written to a .pcap or .ndjson file, in seconds of the show. (default: 10 s after --from)",
    value: "seconds", parse: Parse.number("seconds", in: 0...1e6))
  var to: Double?

  @OptionGroup var picture: VenueOptions
  @OptionGroup var log: LogOptions

  /// The files that it writes.
  enum Kind: String, CaseIterable {
    case pcap, ndjson, png, svg
  }

  func validate() throws {
    let isPicture = [.png, .svg].contains(try kind())
    try Parse.reject(
      (isPicture && to != nil, "--to requires a .pcap or .ndjson file: a picture is that of --from"),
      (!isPicture && picture.given != nil, "\(picture.given ?? "") requires a .png or .svg file"),
      (end <= from, "--to: expected more than --from, \(from), got \(end)"))
  }

  private var end: Double { to ?? from + 10 }

  private func kind() throws -> Kind {
    guard let kind = Kind(rawValue: URL(fileURLWithPath: file).pathExtension.lowercased()) else {
      let names = Kind.allCases.map { ".\($0.rawValue)" }.joined(separator: ", ")
      throw ValidationError("--output-file: expected a name that ends with one of \(names), got '\(file)'")
    }
    return kind
  }

  func run() async throws {
    log.bootstrap()
    let kind = try kind()
    let read = try show.read(log, isNot: [("--output-file", file)])
    let rendering = try Rendering(read, configuration: tempo.configuration)
    // Signals are handled before a temporary file exists.
    let signals = await Signals.stream(of: RunEnding.signals)
    let ending = try await RunEnding.first { tasks in
      tasks.addTask {
        try await write(kind, of: rendering)
        return .streamEnded
      }
      tasks.addTask { try await RunEnding.signal(from: signals, isForced: true) }
    }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
    log.note("wrote \(file)")
  }

  private func write(_ kind: Kind, of rendering: Rendering) async throws {
    let isPicture = [.png, .svg].contains(kind)
    var progress = log.progress(total: Self.milliseconds(isPicture ? from : end))
    defer { progress.end() }
    let update = { (seconds: Double) in progress.update(Self.milliseconds(seconds)) }
    switch kind {
    case .png, .svg:
      let settings = picture.settings(format: kind == .png ? .png : .svg)
      for data in try await rendering.pictures([settings], at: from, onProgress: update) {
        try PictureFile.write(data, to: file)
      }
    case .ndjson:
      try await ReplacedFile.write(file) { path in
        let lines = LineWriter(try FileHandle(forWritingTo: URL(fileURLWithPath: path)))
        try await rendering.lines(from: from, to: end, onProgress: update) { try lines.write($0) }
      }
    case .pcap:
      try await ReplacedFile.write(file) { path in
        try await rendering.capture(to: path, of: file, from: from, to: end, onProgress: update)
      }
    }
  }

  private static func milliseconds(_ seconds: Double) -> Int { Int(seconds * 1_000) }
}

/// How a venue is drawn.
struct VenueOptions: ParsableArguments {
  @Option(
    "Width of a picture in pixels, 1 to 8192. (default: 960)", value: "pixels",
    parse: Parse.integer("a width", in: 1...8_192))
  var width: Int?

  @Option(
    "Height of a picture in pixels, 1 to 8192. (default: 540)", value: "pixels",
    parse: Parse.integer("a height", in: 1...8_192))
  var height: Int?

  @Option(name: .customLong("view"), help: "From where the venue is seen, by default the front.")
  var seenFrom: VenuePictureOptions.View?

  @Flag(help: "Write the ids of fixtures beside them.")
  var labels = false

  var view: VenuePictureOptions.View { seenFrom ?? .front }

  /// The first of these options that was given.
  var given: String? {
    ofPictures ?? (seenFrom != nil ? "--view" : nil)
  }
  /// The first that was given of those that a picture of text has not.
  var ofPictures: String? { width != nil ? "--width" : height != nil ? "--height" : labels ? "--labels" : nil }

  func settings(format: VenuePictureOptions.Format) -> VenuePictureOptions {
    var picture = VenuePictureOptions(width: width ?? 960, height: height ?? 540, view: view, format: format)
    picture.hasLabels = labels
    return picture
  }
}
