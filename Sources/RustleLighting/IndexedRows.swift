extension Array {
  /// Puts a value in the place of the one with its index, or between those with lower and higher ones.
  mutating func place(_ value: Element, by index: KeyPath<Element, Int>) {
    let row = firstIndex { $0[keyPath: index] >= value[keyPath: index] } ?? endIndex
    if row < endIndex, self[row][keyPath: index] == value[keyPath: index] {
      self[row] = value
    } else {
      insert(value, at: row)
    }
  }
}
