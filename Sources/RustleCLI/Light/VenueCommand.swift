internal import ArgumentParser
import Foundation
import RustleLighting
import RustlePlot

struct VenueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "venue",
    abstract: "Draw a venue with its fixtures.",
    usage: """
      rustle venue [<show>] [--rig <file>] [--at <seconds>] [--view <view>]
              [--png <file>] [--svg <file>]
      """,
    discussion: """
      Colours are those that the slots say at a time of the show, so that a wrong patch shows. Without a file to write, the picture is \
      text, and with --json the list of what is to be seen.

      EXAMPLES:
        rustle venue --demo heads
        rustle venue show.json --rig rig.json --view top --svg plan.svg --labels
        rustle venue show.json --at 30 --png venue.png
      """)

  @OptionGroup var show: ShowOptions
  @OptionGroup var tempo: RenderedTempo

  @Option(
    "Time of the show in seconds. (default: 4)", value: "seconds",
    parse: Parse.number("seconds", in: 0...1e6))
  var at = 4.0

  @OptionGroup var picture: VenueOptions

  @Option("Draw into this PNG file.", value: "path", completion: .file(extensions: ["png"]))
  var png: String?

  @Option("Draw into this SVG file.", value: "path", completion: .file(extensions: ["svg"]))
  var svg: String?

  @OptionGroup var output: RecordOptions
  @OptionGroup var log: LogOptions

  func validate() throws {
    let file = png != nil ? "--png" : svg != nil ? "--svg" : nil
    let unused = file == nil && output.effectiveFormat != .ndjson ? picture.ofPictures : nil
    try Parse.reject(
      (unused != nil, "\(unused ?? "") requires --png, --svg or --json"),
      (output.effectiveFormat == .ndjson && file != nil, "--json cannot be used with \(file ?? "")"),
      (output.ascii && file != nil, "--ascii cannot be used with \(file ?? "")"))
  }

  func run() async throws {
    log.bootstrap()
    if let png { try OutputPath.checkExtension(of: png, option: "--png", is: "png") }
    if let svg { try OutputPath.checkExtension(of: svg, option: "--svg", is: "svg") }
    if let png, let svg { try OutputPath.check(svg, option: "--svg", isNot: png, of: "--png") }
    let pictures = [("--png", png), ("--svg", svg)]
    let read = try show.read(log, isNot: pictures.compactMap { option, path in path.map { (option, $0) } })
    func draw(_ settings: [VenuePictureOptions]) async throws -> [Data] {
      var progress = log.progress(total: Int(at * 1_000))
      defer { progress.end() }
      return try await Rendering(read, configuration: tempo.configuration)
        .pictures(settings, at: at) { progress.update(Int($0 * 1_000)) }
    }
    let files = [(VenuePictureOptions.Format.png, png), (.svg, svg)].compactMap { format, path in
      path.map { (format, $0) }
    }
    if !files.isEmpty {
      let drawn = try await draw(files.map { picture.settings(format: $0.0) })
      for ((_, path), data) in zip(files, drawn) { try PictureFile.write(data, to: path) }
      return
    }
    if output.effectiveFormat == .ndjson {
      for json in try await draw([picture.settings(format: .json)]).map({ String(decoding: $0, as: UTF8.self) }) {
        try LineWriter.standardOutput.write(json.hasSuffix("\n") ? json : json + "\n")
      }
      return
    }
    let profile = output.profile
    let settings = VenuePictureOptions.terminal(
      columns: profile.columns, lines: max(1, profile.rows - 1), view: picture.view, format: .of(profile))
    for text in try await draw([settings]) {
      try LineWriter.standardOutput.write(String(decoding: text, as: UTF8.self))
    }
  }
}
