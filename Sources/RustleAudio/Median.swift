extension Array<Double> {
  /// The middle value, or the mean of the two in the middle; nil without values.
  package var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = count / 2
    return count.isMultiple(of: 2) ? 0.5 * (sorted[middle - 1] + sorted[middle]) : sorted[middle]
  }
}
