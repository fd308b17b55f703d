/// A source of sound that is read in buffers: a file, a pipe, the capture of a device. To play one, see ``AudioOutput``.
///
/// ```swift
/// func loudest(in input: some AudioInput) async throws -> Float {
///   var loudest: Float = 0
///   for try await buffer in try await input.buffers() {
///     loudest = buffer.samples.reduce(loudest) { max($0, abs($1)) }
///   }
///   return loudest
/// }
/// ```
public protocol AudioInput<Buffers>: Sendable {
  /// The buffers of one reading, in order. They end with the sound, when the reading task is cancelled, and with an error that
  /// names the cause.
  associatedtype Buffers: AsyncSequence where Buffers.Element == PCMBuffer

  /// Begins reading: a file from its beginning, a device from now on.
  ///
  /// - Throws: an error with the expected and the received value, when it cannot be opened.
  func buffers() async throws -> Buffers
}
