/// A value as the native side delivers it.
package protocol NativeElement: Sendable {
  /// Values that were dropped just before this one; 0 on the events lane.
  var gap: UInt64 { get }
}

/// Converts native values to a consumer's values.
package struct ElementReader<Native: NativeElement, Value: Sendable>: Sendable {
  /// Converts one value.
  package typealias One = @Sendable (Native) -> Value
  /// Appends the values of many native ones, and before each the gap that it reports, if any.
  package typealias Many = @Sendable (Span<Native>, inout [StreamElement<Value>]) -> Void

  let value: One
  let append: Many

  /// Creates a reader from two functions that a module writes for its own type of value.
  ///
  /// The compiler specializes code for a type only within the type's module. An unspecialized loop over a batch costs more for
  /// each value than all other steps of its delivery (docs/benchmarks.md).
  package init(value: @escaping One, append: @escaping Many) {
    self.value = value
    self.append = append
  }

  /// Creates a reader that converts batches value by value, for streams of low rates.
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
