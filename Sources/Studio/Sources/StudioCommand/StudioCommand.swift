internal import ArgumentParser
internal import Foundation
internal import RustleStudio

@main
struct StudioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rustle-studio",
    abstract: "Serve a page with prices, sound, tempo and lights.",
    discussion: """
      The address of the page is printed when it is served. On the loopback everybody on this machine may open it; on any other \
      address its token is needed, which is part of the printed address.

      EXAMPLES:
        rustle-studio
        rustle-studio --listen 192.168.1.20:8420
      """,
    version: "0.1.0")

  @Option(
    help: ArgumentHelp(
      "Address and port; port 0 takes a free one. (default: 127.0.0.1:8420)", valueName: "address:port"))
  var listen = "127.0.0.1:8420"

  @Flag(help: "Ask for a token on the loopback too.")
  var token = false

  @Option(help: ArgumentHelp("Further host name by which the server is reached; may be repeated.", valueName: "host"))
  var allowHost: [String] = []

  @Option(
    help: ArgumentHelp(
      "Folder of recordings. (default: rustle/recordings among the user's application data)", valueName: "folder"),
    completion: .directory)
  var recordings: String?

  func run() async throws {
    var configuration = StudioServer.Configuration()
    guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]),
      colon > listen.startIndex
    else { throw ValidationError("--listen: expected address:port such as 127.0.0.1:8420, got '\(listen)'") }
    let address = listen[..<colon]
    configuration.address = address.hasPrefix("[") ? String(address.dropFirst().dropLast()) : String(address)
    configuration.port = Int(port)
    configuration.needsToken = token
    configuration.allowedHosts = allowHost
    if let recordings { configuration.recordings = URL(filePath: recordings, directoryHint: .isDirectory) }
    do {
      try await StudioServer(configuration).run { address in
        // Unlike print, without a buffer: whoever waits for the address through a pipe reads it at once.
        FileHandle.standardOutput.write(Data("\(address)\n".utf8))
      }
    } catch let error as ListenError {
      FileHandle.standardError.write(Data("error: \(error.message)\nTry another port: --listen 127.0.0.1:0\n".utf8))
      throw ExitCode(69)
    }
  }
}
