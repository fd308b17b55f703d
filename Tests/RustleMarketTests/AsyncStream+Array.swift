extension Array {
  /// All elements of a stream, once it has ended.
  init(_ stream: AsyncStream<Element>) async {
    self = []
    for await element in stream { append(element) }
  }
}
