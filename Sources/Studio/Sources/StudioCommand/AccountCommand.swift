internal import ArgumentParser
internal import Foundation
internal import RustleAccounts
internal import RustleStudio
internal import StudioCore

/// Where the accounts are, for the server and for the commands.
struct AccountFile: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "File of the accounts. (default: rustle/accounts/accounts.sqlite among the user's application data)",
      valueName: "file"),
    completion: .file(extensions: ["sqlite"]))
  var accounts: String?

  func validate() throws {
    // An empty path is that of the working folder.
    if accounts?.isEmpty == true { throw ValidationError("--accounts: expected the path of a file, got ''") }
  }

  var url: URL {
    if let accounts { return URL(filePath: accounts) }
    let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    return (folders.first ?? FileManager.default.temporaryDirectory).appending(path: "rustle/accounts/accounts.sqlite")
  }
}

/// Where people reach the page. The server and the command have one type for it: of two options of one name the server's gets the value.
struct PageAddress: ParsableArguments {
  @Option(
    help: ArgumentHelp("Address of the page in mails and links, as of a reverse proxy.", valueName: "url"))
  var publicAddress: String?

  func validate() throws {
    guard let publicAddress else { return }
    let url = URL(string: publicAddress)
    guard ["http", "https"].contains(url?.scheme?.lowercased()), url?.host()?.isEmpty == false, url?.query == nil,
      url?.fragment == nil
    else {
      throw ValidationError(
        "--public-address: expected an address such as https://studio.example.org, got '\(publicAddress)'")
    }
  }
}

/// The server's options about accounts.
struct AccountOptions: ParsableArguments {
  /// The seconds of a session at most: ten years.
  private static let longestTime: Int64 = 315_360_000

  @OptionGroup var file: AccountFile

  @Flag(help: "Keep no accounts.")
  var noAccounts = false

  @OptionGroup var page: PageAddress

  @Option(
    help: ArgumentHelp(
      "Server that takes mails: without TLS a relay on this machine or its network.", valueName: "host:port"))
  var mailServer: String?

  @Option(help: ArgumentHelp("Address that mails come from.", valueName: "address"))
  var mailSender: String?

  @Option(help: ArgumentHelp("Name at a mail server of the loopback, or with encryption.", valueName: "name"))
  var mailUser: String?

  @Option(help: ArgumentHelp("File with the password at the mail server.", valueName: "file"), completion: .file())
  var mailPassword: String?

  #if TLS
  @Option(help: ArgumentHelp("Encryption of the way to the mail server: none, starttls or implicit.", valueName: "way"))
  var mailEncryption = "none"

  @Option(
    help: ArgumentHelp("File of the certificates that mail servers are trusted by.", valueName: "file"),
    completion: .file(extensions: ["pem", "crt"]))
  var mailRoots: String?
  #endif

  @Option(
    help: ArgumentHelp(
      """
      Limit of address (tries at a password), network, sign-up, mail, notice, save or read: so many at once, then one in so many \
      seconds, such as address=5:10; may be repeated.
      """, valueName: "action=count:seconds"))
  var limit: [String] = []

  @Option(
    help: ArgumentHelp("Seconds without use after which a session ends. (default: 14 days)", valueName: "seconds"))
  var sessionIdle: Int64?

  @Option(
    help: ArgumentHelp(
      "Seconds after which a session ends however it is used. (default: 90 days)", valueName: "seconds"))
  var sessionLongest: Int64?

  @Option(
    help: ArgumentHelp(
      "File of 32 bytes without which the hashes of passwords are of no use; keep it apart from the accounts.",
      valueName: "file"),
    completion: .file())
  var pepper: String?

  #if OIDC
  @Option(
    help: ArgumentHelp("File of providers of OpenID Connect; needs --public-address.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var providers: String?
  #endif

  @Option(
    help: ArgumentHelp("KiB and passes of a password's hash, for tests.", valueName: "kib:passes", visibility: .hidden))
  var hashCost: String?

  func settings() throws -> AccountSettings? {
    if noAccounts { return nil }
    var settings = AccountSettings(file: file.url)
    settings.publicAddress = page.publicAddress
    settings.mail = try mail()
    #if OIDC
    if let providers {
      guard page.publicAddress != nil else {
        throw ValidationError("--providers: expected --public-address, to which the providers send people back")
      }
      do {
        settings.providers = try JSONDecoder().decode(
          [String: IdentityProvider].self, from: Data(contentsOf: URL(filePath: providers)))
      } catch let error as AccountRefusal {
        throw ValidationError("--providers: \(error.message)")
      } catch {
        throw ValidationError("--providers: expected a JSON object of providers at \(providers)")
      }
    }
    #endif
    for text in limit {
      let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
      let name = sides.first == "sign-up" ? "signUp" : sides.first ?? ""
      guard sides.count == 2, let action = LimitedAction(rawValue: name), let limit = RateLimit(sides[1]) else {
        throw ValidationError("--limit: expected such as address=5:10, got '\(text)'")
      }
      settings.configuration.limits[action] = limit
    }
    let times: [(String, Int64?, WritableKeyPath<Accounts.Configuration, Int64>)] = [
      ("idle", sessionIdle, \.idleTime), ("longest", sessionLongest, \.longestTime),
    ]
    for (name, seconds, path) in times {
      guard let seconds else { continue }
      guard (1...Self.longestTime).contains(seconds) else {
        throw ValidationError("--session-\(name): expected 1 to \(Self.longestTime) seconds, got \(seconds)")
      }
      settings.configuration[keyPath: path] = seconds
    }
    if let pepper {
      guard let bytes = FileManager.default.contents(atPath: pepper), bytes.count == 32 else {
        throw ValidationError("--pepper: expected a file of 32 bytes at \(pepper)")
      }
      settings.configuration.pepper = bytes
    }
    if let hashCost {
      let numbers = hashCost.split(separator: ":").compactMap { Int($0) }
      guard numbers.count == 2, (8...1 << 20).contains(numbers[0]), (1...16).contains(numbers[1]) else {
        throw ValidationError("--hash-cost: expected such as 19456:2, got '\(hashCost)'")
      }
      (settings.configuration.hashMemory, settings.configuration.hashPasses) = (numbers[0], numbers[1])
    }
    return settings
  }

  private func mail() throws -> MailServer? {
    guard let mailServer else { return nil }
    guard let colon = mailServer.lastIndex(of: ":"), let port = UInt16(mailServer[mailServer.index(after: colon)...])
    else {
      throw ValidationError("--mail-server: expected host:port such as 127.0.0.1:25, got '\(mailServer)'")
    }
    let host = mailServer[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    guard let mailSender, mailSender.contains("@"),
      !mailSender.contains(where: { $0.isWhitespace || "<>".contains($0) })
    else {
      throw ValidationError("--mail-sender: expected the address that mails come from")
    }
    var server = MailServer(host: host, port: Int(port), sender: mailSender)
    var isSecret = AccessRules.isLoopback(host)
    #if TLS
    guard let encryption = MailServer.Encryption(rawValue: mailEncryption) else {
      let all = MailServer.Encryption.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--mail-encryption: expected \(all), got '\(mailEncryption)'")
    }
    (server.encryption, server.roots) = (encryption, mailRoots)
    if encryption != .none { isSecret = true }
    #endif
    if let mailUser {
      guard !mailUser.isEmpty else { throw ValidationError("--mail-user: expected a name, got ''") }
      guard isSecret else {
        throw ValidationError(
          "--mail-user: expected a mail server of the loopback, as its password is sent in clear; got \(host)")
      }
      guard let mailPassword, let bytes = FileManager.default.contents(atPath: mailPassword) else {
        throw ValidationError("--mail-password: expected a file with the password of \(mailUser)")
      }
      let password = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
      server.login = MailServer.Login(name: mailUser, password: password)
    }
    return server
  }
}

/// `rustle-studio account`.
struct AccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Manage the accounts of the studio.",
    subcommands: [ResetCommand.self, DisableCommand.self, EnableCommand.self, BackupCommand.self])
}

/// `rustle-studio account reset`.
struct ResetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Print a link for a new password, which holds for 30 minutes and works once.")

  @OptionGroup var file: AccountFile

  @OptionGroup var page: PageAddress

  @Argument(help: ArgumentHelp("Address of the account.", valueName: "address"))
  var address: String

  func run() async throws {
    let token = try await open(file) { try await $0.resetToken(onTerminalFor: address) }
    let base = page.publicAddress ?? "http://127.0.0.1:8420/"
    let link = "\(base.hasSuffix("/") ? base : base + "/")#/account/reset/\(token)"
    do {
      try FileHandle.standardOutput.write(contentsOf: Data("\(link)\n".utf8))
    } catch {
      StudioLog().error("cannot write the link to standard output", advice: "Make another one: nobody has this one.")
      throw ExitCode(1)
    }
  }
}

/// `rustle-studio account disable`.
struct DisableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "End an account's sessions, and let nobody sign in to it. It keeps its settings.")

  @OptionGroup var file: AccountFile

  @Argument(help: ArgumentHelp("Address of the account.", valueName: "address"))
  var address: String

  func run() async throws { try await open(file) { try await $0.setDisabled(true, onTerminalFor: address) } }
}

/// `rustle-studio account enable`.
struct EnableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Let people sign in again to an account that was disabled.")

  @OptionGroup var file: AccountFile

  @Argument(help: ArgumentHelp("Address of the account.", valueName: "address"))
  var address: String

  func run() async throws { try await open(file) { try await $0.setDisabled(false, onTerminalFor: address) } }
}

/// `rustle-studio account backup`.
struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy all accounts into a new file, also while the studio runs.")

  @OptionGroup var file: AccountFile

  @Argument(help: ArgumentHelp("File that is made.", valueName: "file"), completion: .file())
  var copy: String

  func validate() throws {
    if copy.isEmpty { throw ValidationError("expected the path of a file that is made, got ''") }
  }

  func run() async throws { try await open(file) { try await $0.backup(to: copy) } }
}

/// Works on the accounts of a file that is there.
private func open<Result: Sendable>(
  _ file: AccountFile, _ work: (Accounts) async throws -> Result
) async throws -> Result {
  guard FileManager.default.fileExists(atPath: file.url.path) else {
    throw ValidationError("--accounts: expected a file of accounts at \(file.url.path)")
  }
  do {
    return try await work(Accounts(path: file.url.path))
  } catch let error as AccountRefusal {
    StudioLog().error(error.message)
    throw ExitCode(1)
  }
}
