internal import Foundation

/// A file with a command's options as a JSON object: a name is a long option without its dashes.
///
///     {"exchange": "kraken", "watchlist": ["BTC/USD", "ETH/USD"], "candles": "1m", "quotes": false}
///
/// JSON, which Foundation reads: the package has no other reader of such files, and the presets of exchanges are JSON too.
package struct OptionsFile: Sendable, Hashable {
  /// The options as arguments, in the order of their names.
  package let arguments: [String]

  /// Reads the contents of a file. `true` is an option without a value and `false` none; an option stands once for each element
  /// of a list.
  ///
  /// - Throws: ``FeedError/Code/unreadableFile``.
  package init(_ bytes: [UInt8]) throws(FeedError) {
    func refusal(_ message: String) -> FeedError { FeedError(code: .unreadableFile, message: message) }
    guard let options = try? JSONDecoder().decode([String: Option].self, from: Data(bytes)) else {
      throw refusal("expected a JSON object of texts, numbers, true, false, and lists of texts, got another text")
    }
    var arguments: [String] = []
    for (name, option) in options.sorted(by: { $0.key < $1.key }) {
      guard name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, name != "config" else {
        throw refusal("expected names of options without dashes before them, got '\(name.prefix(40))'")
      }
      switch option {
      case .flag(let isOn): arguments += isOn ? ["--\(name)"] : []
      case .values(let values): arguments += values.map { "--\(name)=\($0)" }
      }
    }
    self.arguments = arguments
  }

  /// Returns the arguments of a command line after those of the file of `--config`, and, without it, after those of the default
  /// file of `command`: nil where there is none, the first argument is another command, or help is requested.
  ///
  /// - Throws: ``FeedError/Code/unreadableFile``.
  package static func expanded(
    _ arguments: [String], of command: String, environment: [String: String]
  ) throws(FeedError) -> (given: [String], completed: [String]?) {
    guard arguments.first == command, !arguments.contains("--help"), !arguments.contains("-h") else {
      return (arguments, nil)
    }
    func adding(_ path: String) throws(FeedError) -> [String] {
      guard let data = FileManager.default.contents(atPath: path) else {
        throw FeedError(code: .unreadableFile, message: "--config: \(path): expected a file, got none that is readable")
      }
      do throws(FeedError) {
        return try [command] + Self(Array(data)).arguments + arguments.dropFirst()
      } catch {
        throw FeedError(code: error.code, message: "--config: \(path): \(error.message)")
      }
    }
    if let at = arguments.firstIndex(of: "--config"), at + 1 < arguments.count {
      return (try adding(arguments[at + 1]), nil)
    }
    guard let path = defaultPath(of: command, environment: environment), FileManager.default.fileExists(atPath: path)
    else { return (arguments, nil) }
    return (arguments, try adding(path))
  }

  /// The path of the default file of a command, below `$XDG_CONFIG_HOME` or `~/.config`; nil without a home.
  package static func defaultPath(of command: String, environment: [String: String]) -> String? {
    let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/.config" }
    return (folder ?? home).map { "\($0)/rustle/\(command).json" }
  }

  private enum Option: Decodable {
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
