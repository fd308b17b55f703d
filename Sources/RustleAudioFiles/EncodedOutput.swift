/// A container that takes samples and writes them to its file.
///
/// Whatever ends the process between two calls, the file opens. An object that goes away closes its file.
protocol EncodedOutput: AnyObject {
  /// Samples beyond the range so far; see `AudioFileWriter.clippedSamples`.
  var clippedSamples: Int { get }
  /// Samples that were NaN so far.
  var undefinedSamples: Int { get }

  /// Writes whole frames. After an error the file holds what could be written, and nothing more may be written.
  func write(_ samples: ArraySlice<Float>) throws(AudioFileError)

  /// Writes what is held back and the final header, and closes the file. Only the first call has an effect.
  func close() throws(AudioFileError)
}
