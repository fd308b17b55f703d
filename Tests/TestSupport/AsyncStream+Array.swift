extension Array where Element: Sendable {
  /// All elements of a stream, once it has ended.
  package init(_ stream: AsyncStream<Element>) async {
    self = []
    for await element in stream { append(element) }
  }
}
