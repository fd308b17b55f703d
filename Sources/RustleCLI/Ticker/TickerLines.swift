import Foundation
import RustleMarket

/// Writes updates one a line.
struct TickerLines: Sendable {
  let format: OutputFormat
  let profile: TerminalProfile
  /// Whether times are told in whole milliseconds, and no sizes are, as of prices that are made up here.
  private let isInMilliseconds: Bool
  /// The first price of each symbol.
  private var firsts: [String: ExactDecimal] = [:]
  /// What a JSON line begins with, by symbol.
  private var beginnings: [String: [UInt8]] = [:]

  /// - Parameter isInMilliseconds: whether times are told in whole milliseconds, rounded down, and no sizes are.
  init(format: OutputFormat, profile: TerminalProfile, isInMilliseconds: Bool) {
    self.format = format
    self.profile = profile
    self.isInMilliseconds = isInMilliseconds
  }

  /// What comes before the first update; may be empty.
  var header: String {
    guard format == .csv else { return "" }
    // The columns that `--replay` takes without a schema.
    return CSVLine.text(
      isInMilliseconds ? ["symbol", "price", "t_ms", "seq"] : ["symbol", "price", "size", "t_ns", "seq"])
  }

  /// Appends the lines of what a stream delivers.
  mutating func append(_ element: StreamElement<Quote>, to text: inout ByteText) {
    switch element {
    case .value(let quote): append(quote, to: &text)
    case .gap(let count): text.append(Self.gap(count, format, profile))
    }
  }

  /// The line that says how many updates are missing before the next one; CSV, whose rows are updates, has none.
  static func gap(_ count: UInt64, _ format: OutputFormat, _ profile: TerminalProfile) -> String {
    switch format {
    case .ndjson:
      var line = JSONLine()
      line.add("gap", .unsigned(count))
      return line.text
    case .csv: return ""
    case .auto, .text: return "\(Glyphs(for: profile).ellipsis) \(count) updates are missing here\n"
    }
  }

  private mutating func append(_ quote: Quote, to text: inout ByteText) {
    switch format {
    case .ndjson: appendJSON(quote, to: &text)
    case .csv: appendRow(quote, to: &text)
    case .auto, .text: text.append(line(quote))
    }
  }

  /// The line that `--replay` reads back identically: a time that is no whole millisecond is in nanoseconds, and what the source
  /// does not tell is left out.
  private mutating func appendJSON(_ quote: Quote, to text: inout ByteText) {
    text.append(beginning(quote.symbol))
    text.append(quote.price)
    let (milliseconds, rest) = quote.timeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let isWhole = isInMilliseconds || rest == 0
    text.append(isWhole ? ",\"t_ms\":" : ",\"t_ns\":")
    text.append(isWhole ? milliseconds : quote.timeNanoseconds)
    if let sequence = quote.sequence {
      text.append(",\"seq\":")
      text.append(sequence)
    }
    if !isInMilliseconds && quote.size.units != 0 {
      text.append(",\"size\":")
      text.append(quote.size)
    }
    text.append("}\n")
  }

  private mutating func beginning(_ symbol: String) -> [UInt8] {
    if let known = beginnings[symbol] { return known }
    let made = Array("{\"v\":1,\"symbol\":\(JSONLine.quoted(symbol)),\"price\":".utf8)
    beginnings[symbol] = made
    return made
  }

  private func appendRow(_ quote: Quote, to text: inout ByteText) {
    text.append(CSVLine.field(quote.symbol))
    text.append(",")
    text.append(quote.price)
    text.append(",")
    if isInMilliseconds {
      text.append(quote.timeNanoseconds / 1_000_000)
    } else {
      if quote.size.units != 0 { text.append(quote.size) }
      text.append(",")
      text.append(quote.timeNanoseconds)
    }
    text.append(",")
    if let sequence = quote.sequence { text.append(sequence) }
    text.append("\n")
  }

  /// Time in UTC, symbol, price, and the change since the first update, in columns.
  private mutating func line(_ quote: Quote) -> String {
    let first = firsts[quote.symbol] ?? quote.price
    firsts[quote.symbol] = first
    let change = quote.price.relativeChange(since: first)
    let glyphs = Glyphs(for: profile)
    let (mark, ink) = TickerNumbers.direction(change).mark(glyphs)
    let symbol = DisplayWidth.fit(
      quote.symbol, to: max(6, DisplayWidth.columns(of: quote.symbol)), ellipsis: glyphs.ellipsis)
    let price = TickerNumbers.price(quote.price)
    let padded = DisplayWidth.fit(price, to: max(14, price.count), alignRight: true, ellipsis: glyphs.ellipsis)
    let percent = "\(mark) \(TickerNumbers.change(change, glyphs: glyphs))"
    let painter = Painter(isEnabled: profile.usesColor)
    return "\(MarketTime.timeOfDay(quote.timeNanoseconds))  \(symbol) \(padded)  \(painter(percent, ink))\n"
  }
}

extension TickerNumbers.Direction {
  /// How it is shown: a sign, and a colour that says the same.
  func mark(_ glyphs: Glyphs) -> (mark: Character, ink: Painter.Ink?) {
    switch self {
    case .up: (glyphs.up, .green)
    case .down: (glyphs.down, .red)
    case .unchanged: (glyphs.unchanged, nil)
    }
  }
}
