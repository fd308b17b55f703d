internal import RustleCore

extension PriceUpdate {
  init(_ price: NativePriceUpdate, symbols: [String]) {
    self.init(
      symbol: symbols[price.symbol], price: price.price, timestampMilliseconds: price.timestampMilliseconds,
      sequence: price.sequence)
  }
}

extension ElementReader where Native == NativePriceUpdate, Value == PriceUpdate {
  /// - Parameter symbols: the list with which the session is started.
  init(symbols: [String]) {
    self.init(
      value: { PriceUpdate($0, symbols: symbols) },
      append: { prices, buffer in
        for index in prices.indices {
          let price = prices[index]
          if price.gap > 0 { buffer.append(.gap(price.gap)) }
          buffer.append(.value(PriceUpdate(price, symbols: symbols)))
        }
      })
  }
}
