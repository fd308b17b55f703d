/// A value as the native side gives it.
package protocol NativeElement: Sendable {
  /// Values that were lost just before this one; 0 on the events lane.
  var gap: UInt64 { get }
}

/// Makes a consumer's values from native ones.
package struct ElementReader<Native: NativeElement, Value: Sendable>: Sendable {
  /// Makes one value.
  package typealias One = @Sendable (Native) -> Value
  /// Appends the values of many native ones, and before each the gap that it tells of, if any.
  package typealias Many = @Sendable (Span<Native>, inout [StreamElement<Value>]) -> Void

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
    self.init(value: value) { elements, buffer in
      for index in elements.indices {
        let element = elements[index]
        if element.gap > 0 { buffer.append(.gap(element.gap)) }
        buffer.append(.value(value(element)))
      }
    }
  }
}
