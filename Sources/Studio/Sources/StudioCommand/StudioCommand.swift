internal import ArgumentParser
internal import Foundation
internal import RustleAccounts
internal import RustleLighting
internal import RustleMarket
internal import RustleStudio

@main
struct StudioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rustle-studio",
    abstract: "Serve a page with prices, sound, tempo and lights.",
    usage: "rustle-studio [--listen <address:port>] [<option> ...]",
    discussion: """
      The address of the page is printed when it is served. On the loopback everybody on this machine may open it; on any other \
      address its token is needed, which is part of the printed address.

      EXAMPLES:
        rustle-studio
        rustle-studio --listen 192.168.1.20:8420
        rustle-studio --show festival.json --rig rig.json
        rustle-studio --prices trades.ndjson --feed 127.0.0.1:9100
        ffmpeg -f v4l2 -i /dev/video0 -pix_fmt gray -f yuv4mpegpipe - |
          rustle-studio --camera -
      """,
    version: "0.1.0", subcommands: [AccountCommand.self])

  @Option(
    help: ArgumentHelp(
      "Address and port; port 0 takes a free one.", valueName: "address:port"))
  var listen = "127.0.0.1:8420"

  @Flag(help: "Ask for a token on the loopback too.")
  var token = false

  @Flag(help: "Open the page in this machine's browser, unless it needs a token.")
  var open = false

  @Option(help: ArgumentHelp("Further host name by which the server is reached; may be repeated.", valueName: "host"))
  var allowHost: [String] = []

  @Option(help: ArgumentHelp("Connections at most, 1 to 10000.", valueName: "number"))
  var connections = 200

  @Option(
    help: ArgumentHelp(
      "Connections of one address at most; behind a reverse proxy all are the proxy's.", valueName: "number"))
  var perAddress = 32

  @OptionGroup var proxyOptions: ProxyOptions

  @Option(
    help: ArgumentHelp(
      "Folder of recordings. (default: rustle/recordings among the user's application data)", valueName: "folder"),
    completion: .directory)
  var recordings: String?

  @Option(
    help: ArgumentHelp(
      "Feed of prices to choose on the page, as of rustle ticker --serve.", valueName: "host:port|unix:/path"))
  var feed: String?

  @Option(
    help: ArgumentHelp("Recording of prices to choose on the page.", valueName: "file"),
    completion: .file(extensions: ["ndjson", "csv"]))
  var prices: String?

  @Option(
    help: ArgumentHelp("File of a show; without one the show is a demo.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var show: String?

  @Option(
    help: ArgumentHelp("File of the show's rig, if the show does not have it.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var rig: String?

  @Option(
    help: ArgumentHelp(
      "Camera to find fixtures with: a file or pipe of YUV4MPEG2, or - for standard input.", valueName: "file"),
    completion: .file())
  var camera: String?

  @Option(
    help: ArgumentHelp(
      "Size of the camera's frames if they are bytes of gray without a header, such as 640x480.", valueName: "size"))
  var gray: String?

  #if DEBUG
  @Option(
    help: ArgumentHelp("Folder of the page's files, to serve them as they are there now.", valueName: "folder"),
    completion: .directory)
  var webRoot: String?
  #endif

  @OptionGroup(title: "Accounts") var accountOptions: AccountOptions

  /// Runs the command. Its errors, also those of the usage, are messages as the server's.
  static func main() async {
    do {
      var command = try await asyncParseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      let (code, words) = (exitCode(for: error), message(for: error))
      // What somebody asked for, such as the help, is none; one of an exit status alone was written before.
      guard !code.isSuccess, !words.isEmpty else { exit(withError: error) }
      // After the message itself.
      let usage = fullMessage(for: error).split(separator: "\n").dropFirst(words.split(separator: "\n").count)
      StudioLog().error(words, usage: usage.isEmpty ? nil : usage.joined(separator: "\n"))
      exit(withError: code)
    }
  }

  func run() async throws {
    let log = StudioLog()
    log.bootstrap()
    var configuration = StudioServer.Configuration()
    guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]),
      colon > listen.startIndex
    else { throw ValidationError("--listen: expected address:port such as 127.0.0.1:8420, got '\(listen)'") }
    let address = listen[..<colon]
    configuration.address = address.hasPrefix("[") ? String(address.dropFirst().dropLast()) : String(address)
    configuration.port = Int(port)
    configuration.needsToken = token
    for host in allowHost where host.isEmpty || host.contains(where: { "/@".contains($0) || $0.isWhitespace }) {
      throw ValidationError("--allow-host: expected a host name such as studio.example, got '\(host)'")
    }
    configuration.allowedHosts = allowHost
    for (name, value) in [("connections", connections), ("per-address", perAddress)] {
      guard (1...10_000).contains(value) else {
        throw ValidationError("--\(name): expected 1 to 10000, got \(value)")
      }
    }
    configuration.maximumConnectionCount = connections
    configuration.maximumConnectionCountPerAddress = perAddress
    configuration.proxies = try proxyOptions.proxies()
    #if DEBUG
    if let webRoot {
      let folder = URL(filePath: webRoot, directoryHint: .isDirectory)
      guard FileManager.default.isReadableFile(atPath: folder.appending(path: "index.html").path) else {
        throw ValidationError("--web-root: expected a folder with index.html, got '\(webRoot)'")
      }
      configuration.webRoot = folder
    }
    #endif
    if let recordings { configuration.recordings = URL(filePath: recordings, directoryHint: .isDirectory) }
    configuration.accounts = try accountOptions.settings()
    if configuration.accounts != nil, !StudioServer.leaveNoCore() {
      log.warning("a crash may leave a core file with passwords")
    }
    if let feed {
      let port = feed.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
      guard feed.hasPrefix("unix:/") || feed.contains(":") && port > 0 else {
        throw ValidationError("--feed: expected host:port or unix:/path, got '\(feed)'")
      }
      configuration.feed = FeedAddress(feed)
    }
    if let prices {
      guard FileManager.default.isReadableFile(atPath: prices) else {
        throw ValidationError("--prices: cannot read \(prices): check the path")
      }
      configuration.priceRecording = prices
    }
    configuration.camera = try cameraInput()
    if show != nil || rig != nil { configuration.show = try lightShow() }
    do {
      try await StudioServer(configuration).run { address in
        // Unlike print, without a buffer: whoever waits for the address through a pipe reads it at once.
        do {
          try FileHandle.standardOutput.write(contentsOf: Data("\(address)\n".utf8))
        } catch {
          log.warning("cannot write the page's address to standard output")
        }
        // Other users can read the arguments of programs.
        if open, !address.contains("?token=") { Self.show(address, log) }
      }
    } catch let error as ListenError {
      log.error(error.message, advice: "Try another port: --listen 127.0.0.1:0")
      throw ExitCode(69)
    } catch let error as AccountRefusal {
      log.error(error.message)
      throw ExitCode(1)
    }
  }

  /// Opens an address in the browser, with the program of the desktop.
  private static func show(_ address: String, _ log: StudioLog) {
    #if os(macOS)
    let program = "open"
    #else
    let program = "xdg-open"
    #endif
    let opener = Process()
    opener.executableURL = URL(filePath: "/usr/bin/env")
    opener.arguments = [program, address]
    // What it prints is not the page's address.
    opener.standardOutput = FileHandle.standardError
    opener.terminationHandler = { opener in
      guard opener.terminationStatus != 0 else { return }
      log.warning("cannot open the page with \(program): open its address in a browser")
    }
    try? opener.run()
  }

  /// The camera, which is opened when a person wants its picture.
  private func cameraInput() throws -> CameraInput? {
    var format = MappingSettings.Format.y4m
    if let gray {
      let sides = gray.split(separator: "x", omittingEmptySubsequences: false).compactMap { Int($0) }
      guard camera != nil, sides.count == 2, sides.allSatisfy((1...8_192).contains) else {
        throw ValidationError("--gray: expected the size of frames of --camera such as 640x480, got '\(gray)'")
      }
      format = .gray(width: sides[0], height: sides[1])
    }
    guard let camera else { return nil }
    guard camera == "-" || CameraInput.isThere(camera) else {
      throw ValidationError("--camera: cannot read \(camera): check the path")
    }
    return CameraInput(path: camera, format: format)
  }

  /// Reads the show and its rig.
  private func lightShow() throws -> StudioShow {
    func bytes(_ path: String?) throws -> Data? {
      guard let path else { return nil }
      do { return try Data(contentsOf: URL(filePath: path)) } catch {
        throw ValidationError("cannot read \(path): check the path")
      }
    }
    do {
      return try StudioShow(show: bytes(show), rig: bytes(rig))
    } catch let error as LightingError {
      throw ValidationError("\(show ?? rig ?? ""): \(error.message). \(error.advice)")
    }
  }
}
