internal import ArgumentParser
import RustleMarket

/// The model of simulated prices.
struct SimulationOptions: ParsableArguments {
  @Option(
    name: .customLong("brownian"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Simulate a symbol's price as geometric Brownian motion from an initial price, rounded to its digits: "
        + "BTC=65000.00; with drift and volatility per year: BTC=65000.00,0.05,0.6 (default: 0 and 0.5). Required for "
        + "all symbols or none.",
      valueName: "symbol=price"),
    transform: Self.motion)
  var motions: [Motion] = []

  struct Motion: Sendable, Hashable {
    var symbol: String
    var motion: BrownianMotion
  }

  /// `BTC=65000.00`, `BTC=65000.00,0.05` or `BTC=65000.00,0.05,0.6`.
  private static func motion(_ text: String) throws -> Motion {
    let expected = "expected a motion such as BTC=65000.00 or BTC=65000.00,0.05,0.6"
    guard let sign = text.lastIndex(of: "="), sign > text.startIndex else {
      throw ValidationError("\(expected), got '\(text)'")
    }
    let parts = text[text.index(after: sign)...].split(separator: ",", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), let price = ExactDecimal(parts[0]), price > .zero else {
      throw ValidationError("\(expected), got '\(text)'")
    }
    // The native price is a double in units of the last digit, exact up to this limit.
    guard price.units < 1_000_000_000_000_000 else {
      throw ValidationError("expected a price of at most 15 digits, got '\(parts[0])'")
    }
    var motion = BrownianMotion(price: price)
    if parts.count > 1 { motion.drift = try Parse.number("a drift", in: -1_000...1_000)(String(parts[1])) }
    if parts.count > 2 { motion.volatility = try Parse.number("a volatility", in: 0...1_000)(String(parts[2])) }
    return Motion(symbol: String(text[..<sign]), motion: motion)
  }

  /// - Throws: `ValidationError` when only some of the symbols have a motion.
  func model(of symbols: [String]) throws -> SimulatedFeed.Model {
    if motions.isEmpty { return .walk }
    let known = Set(symbols)
    var bySymbol: [String: BrownianMotion] = [:]
    for one in motions {
      if !known.contains(one.symbol) {
        throw ValidationError("--brownian: expected one of the symbols, got '\(one.symbol)'")
      }
      if bySymbol.updateValue(one.motion, forKey: one.symbol) != nil {
        throw ValidationError("--brownian: expected each symbol once, got '\(one.symbol)' again")
      }
    }
    return .brownian(
      try symbols.map { symbol in
        guard let motion = bySymbol[symbol] else {
          throw ValidationError("--brownian: expected one for each symbol, got none for '\(symbol)'")
        }
        return motion
      })
  }
}
