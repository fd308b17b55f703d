extension Array<Double> {
  /// The middle one, or the mean of the two in the middle; nil of none.
  package var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = count / 2
    return count.isMultiple(of: 2) ? 0.5 * (sorted[middle - 1] + sorted[middle]) : sorted[middle]
  }
}
