/// Checks of texts from a command line, whose faults name the expected and the given text.
extension FeedSymbols {
  /// The first fault of names of symbols, which the feed would count from 0; nil: none.
  package static func fault(of symbols: [String]) -> String? {
    var known: Set<String> = []
    for (place, symbol) in zip(1..., symbols) {
      if symbol.isEmpty { return "symbol \(place): expected a name, got an empty text" }
      if symbol.utf8.count > 32 { return "symbol \(place): expected at most 32 bytes, got \(symbol.utf8.count)" }
      let isMalformed = symbol.unicodeScalars.contains {
        $0.properties.isWhitespace || $0.properties.generalCategory == .control
      }
      if isMalformed {
        return "symbol \(place): expected no white space or control character, got '\(symbol)'"
      }
      if !known.insert(symbol).inserted { return "symbol \(place): expected each symbol once, got '\(symbol)' again" }
    }
    return nil
  }
}

/// The motion of a symbol's price as a text: `BTC=65000.00`, `BTC=65000.00,0.05` or `BTC=65000.00,0.05,0.6`.
package struct NamedMotion: Sendable, Hashable {
  /// The symbol.
  package let symbol: String
  /// Initial price, drift and volatility.
  package private(set) var motion: BrownianMotion

  /// - Throws: ``FeedError/Code/valueOutOfRange``.
  package init(_ text: String) throws(FeedError) {
    func refusal(_ message: String) -> FeedError { FeedError(code: .valueOutOfRange, message: message) }
    let sign = text.lastIndex(of: "=") ?? text.startIndex
    let parts = text[sign...].dropFirst().split(separator: ",", omittingEmptySubsequences: false)
    guard sign > text.startIndex, (1...3).contains(parts.count), let price = ExactDecimal(parts[0]), price > .zero
    else {
      throw refusal(
        "expected a symbol and a price above 0 such as BTC=65000.00 or BTC=65000.00,0.05,0.6, got '\(text)'")
    }
    // The native price is a double in units of the last digit, exact up to this limit.
    guard price.units < 1_000_000_000_000_000 else {
      throw refusal("expected a price of at most 15 digits, got '\(parts[0])'")
    }
    func number(_ text: Substring, _ name: String, _ least: Double) throws(FeedError) -> Double {
      if let number = Double(text), (least...1_000).contains(number) { return number }
      throw refusal("expected a \(name) from \(Int(least)) to 1000, got '\(text)'")
    }
    (symbol, motion) = (String(text[..<sign]), BrownianMotion(price: price))
    if parts.count > 1 { motion.drift = try number(parts[1], "drift", -1_000) }
    if parts.count > 2 { motion.volatility = try number(parts[2], "volatility", 0) }
  }
}

extension SimulatedFeed.Model {
  /// The model of these motions, one for each symbol; without any a random walk.
  ///
  /// - Throws: ``FeedError/Code/valueOutOfRange``.
  package init(_ named: [NamedMotion], of symbols: [String]) throws(FeedError) {
    func refusal(_ message: String) -> FeedError {
      FeedError(code: .valueOutOfRange, message: "--brownian: expected \(message)")
    }
    if named.isEmpty {
      self = .walk
      return
    }
    if let unknown = named.first(where: { !symbols.contains($0.symbol) }) {
      throw refusal("one of the symbols, got '\(unknown.symbol)'")
    }
    var motions: [String: BrownianMotion] = [:]
    for one in named {
      if motions.updateValue(one.motion, forKey: one.symbol) != nil {
        throw refusal("each symbol once, got '\(one.symbol)' again")
      }
    }
    if let missing = symbols.first(where: { motions[$0] == nil }) {
      throw refusal("one for each symbol, got none for '\(missing)'")
    }
    self = .brownian(symbols.compactMap { motions[$0] })
  }
}
