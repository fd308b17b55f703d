internal import ArgumentParser
import CTerminal
import Foundation
import Logging
import RustleAccount
import RustleAudio
import RustleFiles
import RustlePlot

struct AccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Sign in to an account of a studio.",
    discussion: """
      The session is kept in a file that only its user can read; 'rustle eq --account' uses it.

      EXAMPLES:
        rustle account login http://127.0.0.1:8420 --email ada@example.org
        rustle eq take1.flac out.wav --account
        rustle account logout
      """,
    subcommands: [AccountLogInCommand.self, AccountStatusCommand.self, AccountLogOutCommand.self])
}

struct AccountLogInCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in, and keep the session.",
    usage: "rustle account login <server> --email <address> [--password-file <file>]",
    discussion: """
      The password is asked for on a terminal, or read from a file or standard input, never from an argument. An earlier session \
      is ended once the new one is kept.

      EXAMPLES:
        rustle account login http://127.0.0.1:8420 --email ada@example.org
        pass studio | rustle account login http://127.0.0.1:8420 \\
          --email ada@example.org --password-file -
      """)

  @Argument(help: "The server's address as the studio prints it, with its token where it has one.")
  var server: String

  @Option("The e-mail address of the account.", value: "address")
  var email: String?

  @Option(
    "The file with the password; - is standard input. A newline at its end is left out. (default: the terminal)",
    value: "file", completion: .file())
  var passwordFile: String?

  @OptionGroup var log: LogOptions

  func validate() throws { try Parse.reject((email == nil, "expected --email")) }

  func run() async throws {
    log.bootstrap()
    let email = email ?? ""
    guard let server = URL(string: server) else {
      throw CommandFailure(.usage, "expected an address such as http://127.0.0.1:8420, got '\(server)'")
    }
    let session = try await AccountSession.logIn(to: server, email: email, password: try password())
    let before = try? KeptSession.read()
    do { try await KeptSession.write(session) } catch {
      // Nobody has the session: it would live on at the server.
      try? await session.end()
      throw error
    }
    try? await before?.end()
    let signedIn = "signed in as \(CommandFailure.visible(email))"
    Messages.write(.notice, signedIn, text: signedIn + "\n")
  }

  private func password() throws -> String {
    if let passwordFile { return try TextFile.password(of: passwordFile) }
    guard StandardStream.isTerminal(STDIN_FILENO) else {
      throw CommandFailure(
        .usage, "expected --password-file, or a terminal to ask on", advice: "Use '--password-file -'.")
    }
    try LineWriter.standardError.write("Password: ")
    guard rustle_terminal_keys_begin(STDIN_FILENO) == 0 else {
      throw CommandFailure(.unavailable, "cannot switch off the terminal's echo", advice: "Use --password-file.")
    }
    defer {
      rustle_terminal_keys_end()
      try? LineWriter.standardError.write("\n")
    }
    var line = HiddenLine()
    while let byte = try FileHandle.standardInput.read(upToCount: 1)?.first, !line.take(byte) {}
    guard !line.text.isEmpty else { throw CommandFailure(.usage, "expected a password, got none") }
    return line.text
  }
}

struct AccountStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the account and its equalizer gains.",
    usage: "rustle account status [--format <format>] [--json]",
    discussion: """
      EXAMPLES:
        rustle account status
        rustle account status --json | jq .left

      NDJSON FIELDS:
        v       1, the version of these fields
        email   the address of the account
        server  the host of its server
        left    gains of the left channel in dB, from low to high
        right   those of the right channel
      """)

  @OptionGroup var output: RecordOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    let session = try KeptSession.read()
    let gains = try await session.gains()
    let columns: [Column<EqualizerGains>] = [
      Column("email") { _ in session.email }, Column("server") { _ in session.server.host ?? "" },
      Column("left", \.left), Column("right", \.right),
    ]
    let table = Table(columns, format: output.effectiveFormat, profile: output.profile) {
      let lists = [$0.left, $0.right].map { $0.map { Numbers.plain(Double($0)) }.joined(separator: " ") }
      return "\(CommandFailure.visible(session.email))\nleft   \(lists[0])\nright  \(lists[1])\n"
    }
    try LineWriter.standardOutput.write(table.line(gains))
  }
}

struct AccountLogOutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout", abstract: "End the session, on the server and on this machine.")

  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    let session = try KeptSession.read()
    try await session.end()
    try KeptSession.remove()
  }
}

extension AccountSession {
  /// Ends the session, unless its server says nothing for five seconds.
  fileprivate func end() async throws(AccountError) {
    do { try await logOut(patience: 5) } catch {
      guard error.code == .unreachable else { throw error }
      let host = CommandFailure.visible(server.host ?? "the server")
      LineWriter.standardError.note("\(host) does not answer: the session may live on there", .warning)
    }
  }
}

/// The user's session in a file of the settings, which only the user can read.
enum KeptSession {
  private static func path() throws -> String {
    guard let path = SettingsFile.path("account.json", environment: ProcessInfo.processInfo.environment) else {
      throw CommandFailure(.unavailable, "expected a folder for settings", advice: "Set HOME.")
    }
    return path
  }

  static func read() throws -> AccountSession {
    let path = try path()
    guard FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        .usage, "expected an account, got none", advice: "Sign in with 'rustle account login SERVER --email ADDRESS'.")
    }
    let bytes = try TextFile.bytes(of: path, option: "the session")
    guard let session = try? JSONDecoder().decode(AccountSession.self, from: bytes) else {
      throw CommandFailure(
        .badData, "\(path): expected a session", advice: "Sign in again with 'rustle account login'.")
    }
    return session
  }

  static func write(_ session: AccountSession) async throws {
    let path = try path()
    do {
      let folder = URL(filePath: path).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try await ReplacedFile.write(path) { path in
        // Nobody else can open it before the token is in it.
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
          let file = FileHandle(forWritingAtPath: path)
        else { throw CocoaError(.fileWriteNoPermission) }
        try file.write(contentsOf: JSONEncoder().encode(session))
        try file.close()
      }
    } catch let error as CocoaError {
      throw CommandFailure(
        .unavailable, "cannot write \(path): \(SystemError.reason(behind: error))",
        advice: "Nobody stays signed in. XDG_CONFIG_HOME names another folder.")
    }
  }

  static func remove() throws { try FileManager.default.removeItem(atPath: path()) }
}

extension EqualizerGains {
  /// The gains of settings that are the 14 graphic bands of each channel and nothing else; nil for others.
  init?(_ settings: EqualizerSettings) {
    let frequencies = EqualizerSettings.centerFrequencies
    guard settings.left.map(\.frequency) == frequencies, settings.right.map(\.frequency) == frequencies,
      let gains = try? Self(left: settings.left.map { Float($0.gain) }, right: settings.right.map { Float($0.gain) })
    else { return nil }
    self = gains
  }

  /// The gains as those of the graphic equalizer.
  var graphicGains: [Double] { (left + right).map(Double.init) }
}
