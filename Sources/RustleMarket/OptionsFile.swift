internal import Foundation
package import RustleCore

/// A file with a command's options as a JSON object: a name is a long option without its dashes.
///
///     {"exchange": "kraken", "watchlist": ["BTC/USD", "ETH/USD"], "candles": "1m", "quotes": false}
///
/// JSON, which Foundation reads: the package has no other reader of such files, and the presets of exchanges are JSON too.
package struct OptionsFile: Sendable, Hashable {
  /// The options as arguments, in the order of their names.
  package var arguments: [String] { options.flatMap(\.arguments) }
  private let options: [Option]

  /// Reads the contents of a file. `true` is an option without a value and `false` none; an option stands once for each element
  /// of a list.
  ///
  /// - Throws: ``OptionsFileError/Code/malformed``.
  package init(_ bytes: [UInt8]) throws(OptionsFileError) {
    func refusal(_ message: String) -> OptionsFileError { OptionsFileError(code: .malformed, message: message) }
    guard let values = try? JSONDecoder().decode([String: Value].self, from: Data(bytes)) else {
      throw refusal("expected a JSON object of texts, numbers, true, false, and lists of texts, got another text")
    }
    var options: [Option] = []
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      guard name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, name != "config" else {
        throw refusal("expected names of options without dashes before them, got '\(name.prefix(40))'")
      }
      switch value {
      case .flag(let isOn): options.append(Option(name: name, arguments: isOn ? ["--\(name)"] : []))
      case .values(let values): options.append(Option(name: name, arguments: values.map { "--\(name)=\($0)" }))
      }
    }
    self.options = options
  }

  /// The path of the file that completes a command line: that of `--config`, or the default file of `command`, if there is one.
  /// nil for another command, and where help is requested.
  ///
  /// - Throws: ``OptionsFileError/Code/repeated``.
  package static func place(
    for arguments: [String], of command: String, environment: [String: String]
  ) throws(OptionsFileError) -> (path: String, isDefault: Bool)? {
    let arguments = arguments.prefix { $0 != "--" }
    guard arguments.first == command, !arguments.contains("--help"), !arguments.contains("-h") else { return nil }
    let paths = arguments.indices.compactMap { index -> String? in
      if arguments[index] == "--config" { return index + 1 < arguments.endIndex ? arguments[index + 1] : nil }
      return arguments[index].hasPrefix("--config=") ? String(arguments[index].dropFirst("--config=".count)) : nil
    }
    if paths.count > 1 {
      throw OptionsFileError(code: .repeated, message: "--config: expected one file, got \(paths.count)")
    }
    if let path = paths.first { return (path, false) }
    guard let path = defaultPath(of: command, environment: environment), FileManager.default.fileExists(atPath: path)
    else { return nil }
    return (path, true)
  }

  /// Returns the arguments of a command line after those of a file, of which those are left out that cannot be used with it.
  ///
  /// - Throws: ``OptionsFileError``.
  package static func completed(_ arguments: [String], with path: String) throws(OptionsFileError) -> [String] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw OptionsFileError(
        code: .unreadable, message: "--config: \(path): expected a file, got none that is readable")
    }
    let file: Self
    do throws(OptionsFileError) {
      file = try Self(Array(data))
    } catch {
      throw OptionsFileError(code: error.code, message: "--config: \(path): \(error.message)")
    }
    let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
    let rivals = Self.rivals(of: Set(given.map { String($0.dropFirst(2).prefix { $0 != "=" }) }))
    return arguments.prefix(1) + file.options.filter { !rivals.contains($0.name) }.flatMap(\.arguments)
      + arguments.dropFirst()
  }

  /// The options of which one excludes the others.
  private static let groups: [Set<String>] = [
    ["json", "format"], ["candles", "statistics"], ["roots", "insecure"], ["allow-anyone", "token-file"],
    ["replay", "connect", "exchange", "source"],
  ]
  /// The options that require another.
  private static let dependents: [String: Set<String>] = [
    "candles": ["zone", "session", "lateness"], "replay": ["speed", "loop", "from", "to", "strict", "input"],
    "exchange": ["quotes"], "connect": ["subscribe", "unsubscribe"],
  ]

  /// The options that cannot be used with these.
  private static func rivals(of given: Set<String>) -> Set<String> {
    var rivals = Set<String>()
    for group in groups where !group.isDisjoint(with: given) {
      for name in group.subtracting(given) { rivals.formUnion((dependents[name] ?? []).union([name])) }
      if group.contains("replay") { rivals.formUnion(["seed", "brownian"]) }
    }
    return rivals
  }

  /// The path of the default file of a command, below `$XDG_CONFIG_HOME` or `~/.config`; nil without a home.
  package static func defaultPath(of command: String, environment: [String: String]) -> String? {
    let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/.config" }
    return (folder ?? home).map { "\($0)/rustle/\(command).json" }
  }

  private struct Option: Sendable, Hashable {
    let name: String
    let arguments: [String]
  }

  private enum Value: Decodable {
    case flag(Bool)
    case values([String])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let isOn = try? container.decode(Bool.self) {
        self = .flag(isOn)
      } else if let text = try? container.decode(String.self) {
        self = .values([text])
      } else if let number = try? container.decode(Decimal.self) {
        self = .values(["\(number)"])
      } else {
        self = .values(try container.decode([String].self))
      }
    }
  }
}

/// An error of a file of options.
package struct OptionsFileError: CodedError {
  /// The kind of error.
  package enum Code: Int, ErrorCode {
    /// There is no such file, or it cannot be read.
    case unreadable = 1
    /// It is not an object of options.
    case malformed = 2
    /// A command line has several files.
    case repeated = 3

    package var origin: ErrorOrigin {
      switch self {
      case .unreadable: .input
      case .malformed: .data
      case .repeated: .arguments
      }
    }
  }

  package static let errorDomain = "rustle.options"

  package let code: Code
  package let message: String

  package var isRetryable: Bool { code == .unreadable }

  package var advice: String {
    switch code {
    case .unreadable: "Check that the file exists and is readable."
    case .malformed: "Correct the file: {\"exchange\": \"kraken\", \"watchlist\": [\"BTC/USD\"]}."
    case .repeated: "Give one file."
    }
  }
}
