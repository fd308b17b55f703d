/// Makes a consumer's values from native updates.
package struct PriceReader<Value: Sendable>: Sendable {
  /// Makes one value.
  package typealias One = @Sendable (NativePrice) -> Value
  /// Appends the values of many updates, and before each the gap that its update tells of, if any.
  package typealias Many = @Sendable (Span<NativePrice>, inout [StreamElement<Value>]) -> Void

  let value: One
  let append: Many

  /// A reader of two functions that a module spells out for its own type of value.
  ///
  /// The compiler makes code for the type at hand only within its module. A loop over a batch that knows the type when it
  /// runs, not before, costs more for each value than the whole rest of its way (docs/benchmarks.md).
  package init(value: @escaping One, append: @escaping Many) {
    self.value = value
    self.append = append
  }

  /// A reader that makes batches one by one, for where speed is of no concern.
  package init(_ value: @escaping One) {
    self.init(value: value) { prices, buffer in
      for index in prices.indices {
        let price = prices[index]
        if price.gap > 0 { buffer.append(.gap(price.gap)) }
        buffer.append(.value(value(price)))
      }
    }
  }
}
