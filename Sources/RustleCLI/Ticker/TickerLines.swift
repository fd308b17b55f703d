import Foundation
import RustleMarket

/// Writes updates one a line.
struct TickerLines: Sendable {
  let format: OutputFormat
  let profile: TerminalProfile
  private var board: TickerBoard

  init(format: OutputFormat, profile: TerminalProfile, symbols: [String]) {
    self.format = format
    self.profile = profile
    board = TickerBoard(symbols: symbols)
  }

  /// What comes before the first update; may be empty.
  var header: String { format == .csv ? CSVLine.text(["symbol", "price", "t_ms", "seq"]) : "" }

  /// The line that says how many updates are missing before the next one; CSV, whose rows are updates, has none.
  func gap(_ count: UInt64) -> String {
    switch format {
    case .ndjson:
      var line = JSONLine()
      line.add("gap", .unsigned(count))
      return line.text
    case .csv: return ""
    case .auto, .text: return "\(Glyphs(for: profile).ellipsis) \(count) updates are missing here\n"
    }
  }

  /// The line of one update, line feed included.
  mutating func line(_ update: PriceUpdate) -> String {
    let row = board.apply(update)
    switch format {
    case .ndjson:
      var line = JSONLine()
      line.add("symbol", .string(update.symbol))
      line.add("price", .number(update.price))
      line.add("t_ms", .integer(update.timestampMilliseconds))
      line.add("seq", .unsigned(update.sequence))
      return line.text
    case .csv:
      return CSVLine.text([
        update.symbol, String(update.price), String(update.timestampMilliseconds), String(update.sequence),
      ])
    case .auto, .text:
      return text(update, change: row?.change ?? 0)
    }
  }

  /// Time in UTC, symbol, price, and the change since the first update, in columns.
  private func text(_ update: PriceUpdate, change: Double) -> String {
    let glyphs = Glyphs(for: profile)
    let (mark, ink): (Character, Painter.Ink?) =
      switch TickerNumbers.direction(change) {
      case .up: (glyphs.up, .green)
      case .down: (glyphs.down, .red)
      case .unchanged: (glyphs.unchanged, nil)
      }
    let symbol = DisplayWidth.fit(
      update.symbol, to: max(6, DisplayWidth.columns(of: update.symbol)), ellipsis: glyphs.ellipsis)
    let price = DisplayWidth.fit(
      TickerNumbers.price(update.price), to: 14, alignRight: true, ellipsis: glyphs.ellipsis)
    let percent = "\(mark) \(TickerNumbers.change(change, glyphs: glyphs))"
    let painter = Painter(isEnabled: profile.usesColor)
    return "\(Self.time(update.timestampMilliseconds))  \(symbol) \(price)  \(painter(percent, ink))\n"
  }

  /// The time of day in UTC to the millisecond: `06:02:56.316Z`.
  private static func time(_ milliseconds: Int64) -> String {
    // The remainder takes the sign of the dividend; a time before 1970 counts from its midnight all the same.
    let day = (milliseconds % 86_400_000 + 86_400_000) % 86_400_000
    return String(
      format: "%02d:%02d:%02d.%03dZ", Int(day / 3_600_000), Int(day / 60_000 % 60), Int(day / 1_000 % 60),
      Int(day % 1_000))
  }
}
