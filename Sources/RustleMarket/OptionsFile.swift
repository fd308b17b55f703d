internal import Foundation
package import RustleCore
internal import RustleFiles

/// A file with a command's options as a JSON object: a name is a long option without its dashes.
///
///     {"exchange": "kraken", "watchlist": ["BTC/USD", "ETH/USD"], "candles": "1m", "quotes": false}
///
/// JSON, which Foundation reads: the package has no other reader of such files, and the presets of exchanges are JSON too.
package struct OptionsFile: Sendable, Hashable {
  /// The options as arguments, in the order of their names.
  package var arguments: [String] { options.flatMap(\.arguments) }
  private let options: [Option]

  /// Reads the contents of a file. `true` is an option without a value and `false` none. A list is the option once for each
  /// element where it may be repeated, or its elements with commas between them where it takes such a text.
  ///
  /// - Throws: ``OptionsFileError/Code/malformed``.
  package init(_ bytes: [UInt8]) throws(OptionsFileError) {
    func refusal(_ message: String) -> OptionsFileError { OptionsFileError(code: .malformed, message: message) }
    guard let values = try? JSONDecoder().decode([String: Value].self, from: Data(bytes)) else {
      throw refusal("expected a JSON object of texts, numbers, true, false, and lists of such, got another text")
    }
    var options: [Option] = []
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      guard name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, name != "config" else {
        throw refusal("expected names of options without dashes before them, got '\(name.prefix(40))'")
      }
      switch value {
      case .flag(let isOn): if isOn { options.append(Option(name: name, values: nil)) }
      case .values(let values) where values.count > 1 && name == "candles":
        options.append(Option(name: name, values: [values.joined(separator: ",")]))
      case .values(let values) where values.count > 1 && !Self.repeatable.contains(name):
        throw refusal("\(name): expected one value, got \(values.count)")
      case .values(let values): if !values.isEmpty { options.append(Option(name: name, values: values)) }
      }
    }
    self.options = options
  }

  private static let repeatable: Set = ["alert", "brownian", "header", "peer-token-file", "source", "watchlist"]

  /// The path of the file that completes a command line: that of `--config`, or the default file of `command`, if there is one.
  /// nil for another command, and where help is requested.
  ///
  /// - Throws: ``OptionsFileError/Code/repeated``.
  package static func location(
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
        code: .unreadable,
        message:
          "--config: \(path): \(FileManager.default.fileExists(atPath: path) ? "cannot be read" : "no such file")")
    }
    let file: Self
    do throws(OptionsFileError) {
      file = try Self(Array(data))
    } catch {
      throw OptionsFileError(code: error.code, message: "--config: \(path): \(error.message)")
    }
    let excluded = TickerRules.excluded(
      from: Dictionary(uniqueKeysWithValues: file.options.map { ($0.name, $0.values ?? []) }), by: given(arguments))
    return arguments.prefix(1) + file.options.filter { !excluded.contains($0.name) }.flatMap(\.arguments)
      + arguments.dropFirst()
  }

  /// The options of a command line. The value of one without any is the argument behind it.
  private static func given(_ arguments: [String]) -> TickerRules.Options {
    let arguments = arguments.prefix { $0 != "--" }
    var given: TickerRules.Options = [:]
    for (index, argument) in zip(arguments.indices, arguments) where argument.hasPrefix("--") {
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count > 1 ? String(parts[1]) : index + 1 < arguments.endIndex ? arguments[index + 1] : ""
      given[String(parts[0]), default: []].append(value)
    }
    return given
  }

  /// The path of the default file of a command, below `$XDG_CONFIG_HOME` or `~/.config`; nil without a home.
  package static func defaultPath(of command: String, environment: [String: String]) -> String? {
    SettingsFile.path("\(command).json", environment: environment)
  }

  private struct Option: Sendable, Hashable {
    let name: String
    /// nil: a flag.
    let values: [String]?

    var arguments: [String] { values?.map { "--\(name)=\($0)" } ?? ["--\(name)"] }
  }

  private enum Value: Decodable {
    case flag(Bool)
    case values([String])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let isOn = try? container.decode(Bool.self) {
        self = .flag(isOn)
      } else if let one = try? container.decode(Text.self) {
        self = .values([one.text])
      } else {
        self = .values(try container.decode([Text].self).map(\.text))
      }
    }
  }

  /// A text, or a number as one.
  private struct Text: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      text = try (try? container.decode(String.self)) ?? "\(container.decode(Decimal.self))"
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
    case .repeated: "Pass one file."
    }
  }
}
