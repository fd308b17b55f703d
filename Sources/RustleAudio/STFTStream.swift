internal import RustleCore

/// Short-time spectra of a signal that comes in pieces of any length.
///
/// Each frame is written by the call that brings its last sample, and is the same, bit by bit, as
/// ``STFT/frames(of:from:into:)`` writes for the whole signal. Frames that reach beyond the signal's end come from
/// ``finish(into:)``. Nothing is allocated after the initialiser, and the memory does not grow with the signal.
///
/// ```swift
/// var stream = try STFTStream(stft)
/// var row = [Float](repeating: 0, count: stft.valuesPerRow)
/// var output = row.mutableSpan
/// let (taken, frames) = try stream.push(samples.span, into: &output)
/// ```
public struct STFTStream: ~Copyable, Sendable {
  /// The transform whose frames it writes.
  public let stft: STFT
  private let stream: NativeSTFTStream

  /// A stream at the beginning of a signal.
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

  /// The most frames that `count` more samples can complete: room for as many takes them all in one call.
  public func maximumFrameCount(for count: Int) -> Int {
    let frames = 1 + stft.size / 2 / stft.hop
    return frames + min(max(0, count) / stft.hop, .max - frames)
  }

  /// Takes in the next samples of the signal, as far as the frames that they complete find room.
  ///
  /// - Parameters:
  ///   - samples: any number.
  ///   - output: a whole number of rows.
  /// - Returns: how many samples were taken, the others being due again, and how many rows were written.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for another length, and between ``finish(into:)`` and the last
  ///   of its frames; nothing is taken then.
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

  /// Ends the signal and writes the frames that are left, as far as they find room. To be called until it returns 0: the
  /// stream is at the beginning of another signal then.
  ///
  /// - Parameter output: a whole number of rows, at least one.
  /// - Returns: how many rows were written.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for another length.
  public mutating func finish(into output: inout MutableSpan<Float>) throws(FFTError) -> Int {
    try stft.checkRows(output.count)
    guard output.count > 0 else {
      throw .validation(
        "output", expected: "room for at least one row", got: "none",
        advice: "Make room for \(stft.valuesPerRow) elements."
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
