internal import Foundation

/// The public streams of an exchange: its URL, schemas and subscription messages, as a file describes them in JSON.
///
/// ```json
/// {"url": "wss://stream.example.com/v1",
///  "trades": {"schema": "symbol=s,price=p", "subscribe": "{\"op\":\"subscribe\",\"args\":$symbols}"}}
/// ```
public struct ExchangePreset: Sendable, Hashable, Codable {
  /// A kind of messages.
  public struct Stream: Sendable, Hashable, Codable {
    /// The schema that maps messages to trades.
    public var schema: String
    /// The message that subscribes to symbols: `$symbols` in it stands for the list of names as a JSON array, `$symbol` for one name.
    public var subscribe: String
    /// The message that unsubscribes; nil: none.
    public var unsubscribe: String?
    /// The URL; nil: that of the exchange.
    public var url: String?
  }

  /// The URL of the WebSocket.
  public var url: String
  /// The stream of trades.
  public var trades: Stream
  /// The stream of quotes; nil when the exchange has none.
  public var quotes: Stream?

  /// Reads a file.
  ///
  /// - Throws: ``FeedError/Code/unreadableFile``: there is no such file, or it is not such a text.
  public init(path: String) throws(FeedError) {
    let data: Data
    do { data = try Data(contentsOf: URL(filePath: path)) } catch {
      let isThere = FileManager.default.fileExists(atPath: path)
      throw FeedError(code: .unreadableFile, message: "\(path): \(isThere ? "cannot be read" : "no such file")")
    }
    do {
      self = try JSONDecoder().decode(Self.self, from: data)
    } catch {
      let reason =
        switch error {
        case DecodingError.keyNotFound(let key, _): "one without \(key.stringValue)"
        default: "another text"
        }
      throw FeedError(
        code: .unreadableFile, message: "\(path): expected a JSON object with url and trades, got \(reason)")
    }
  }

  /// The URL of the trades or quotes if it has no TLS, and so no certificate; nil otherwise.
  package func unencryptedURL(quotes isQuotes: Bool) -> String? {
    let url = (isQuotes ? quotes?.url : trades.url) ?? url
    return url.lowercased().hasPrefix("wss://") ? nil : url
  }

  /// The path of a preset by its name, or the path itself where it has a slash or a dot: a name stands for
  /// `share/rustle/exchanges/NAME.json` beside the folder of the command.
  public static func path(of name: String, command: String) -> String {
    if name.contains("/") || name.contains(".") { return name }
    return URL(filePath: command).resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "../share/rustle/exchanges/\(name).json").standardized.path
  }
}
