internal import RustleCore

/// Short-time spectra of a signal that the caller passes in pieces, without waiting: for code that is not asynchronous. For a
/// microphone see ``STFTFrames``.
///
/// The call with a frame's last sample writes the frame, bit for bit as ``STFT/frames(of:from:into:)`` does for the whole signal.
/// ``finish(into:)`` writes the frames that reach beyond the signal's end. Nothing is allocated after the initialiser, and the
/// memory does not grow with the signal.
///
/// ```swift
/// var stream = try STFTStream(stft)
/// var row = [Float](repeating: 0, count: stft.valuesPerFrame)
/// var output = row.mutableSpan
/// let (taken, frames) = try stream.push(samples.span, into: &output)
/// ```
public struct STFTStream: ~Copyable, Sendable {
  /// The transform whose frames it writes.
  public let stft: STFT
  private let stream: NativeSTFTStream

  /// A stream that has received no samples.
  ///
  /// - Throws: ``FFTError`` with ``FFTError/Code/fft`` when the process has no memory for it.
  public init(_ stft: STFT) throws(FFTError) {
    self.stft = stft
    do {
      stream = try NativeSTFTStream(stft.plan)
    } catch {
      throw FFTError(error)
    }
  }

  /// The maximum number of frames that `count` more samples can complete: an output of this many rows takes them all in one call.
  public func maximumFrameCount(for count: Int) -> Int {
    let frames = 1 + stft.size / 2 / stft.hop
    return frames + min(max(0, count) / stft.hop, .max - frames)
  }

  /// Takes samples of the signal, in order, and writes each spectrum that they complete, until the output is full.
  ///
  /// - Parameters:
  ///   - samples: any number.
  ///   - output: a whole number of rows.
  /// - Returns: the number of samples taken (pass the others again) and the number of rows written.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for another length, and between ``finish(into:)`` and the last of
  ///   its frames; no sample is taken then.
  public mutating func push(
    _ samples: Span<Float>, into output: inout MutableSpan<Float>
  ) throws(FFTError) -> (taken: Int, frames: Int) {
    try stft.checkRows(output.count)
    do {
      return try stream.push(samples, output: &output)
    } catch {
      throw Self.error(error)
    }
  }

  /// Ends the signal and writes the remaining spectra, until the output is full. Call it until it returns 0: the stream is then at
  /// the beginning of another signal.
  ///
  /// - Parameter output: a whole number of rows, at least one.
  /// - Returns: the number of rows written.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for another length.
  public mutating func finish(into output: inout MutableSpan<Float>) throws(FFTError) -> Int {
    try stft.checkRows(output.count)
    guard output.count > 0 else {
      throw .validation(
        "output", expected: "one row of \(stft.valuesPerFrame) elements or more", got: "0 elements",
        advice: "Pass a span of \(stft.valuesPerFrame) elements."
      )
    }
    do {
      return try stream.finish(&output)
    } catch {
      throw Self.error(error)
    }
  }

  private static func error(_ error: NativeError) -> FFTError {
    guard error.status == .wrongState else { return FFTError(error) }
    return .validation(
      "stream", expected: "the rest of its frames to be fetched", got: "samples",
      advice: "Call finish(into:) until it returns 0.")
  }
}
