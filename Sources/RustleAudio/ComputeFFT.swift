internal import RustleCore

/// The spectrum that ``computeFFT(_:options:)`` returns.
public struct FFTResult: Sendable, Hashable {
  /// The magnitudes of the first N/2 bins, not scaled: a sine of amplitude 1 reads about half the window's sum.
  public let magnitudes: [Float]
  /// The frequency of each bin, in Hz: bin k is at k times the sample rate over N.
  public let frequencies: [Double]
}

/// The magnitudes of a signal's spectrum, computed off the caller's actor at user-initiated priority.
///
/// A signal shorter than N is padded with zeros at its end, a longer one cropped to its first N samples, as numpy's
/// `rfft(signal, N)` does; the window spans the N samples. The tables of each size and window are made once and kept for the
/// life of the process, 1 MB at most; who has many frames saves the change of threads with ``FFT``.
///
/// - Parameters:
///   - buffer: at least one sample. A sample that is NaN or infinite makes every magnitude NaN or infinite.
///   - options: the size N, the window and the sample rate.
/// - Throws: ``FFTError`` with ``FFTError/Code/validation``, before anything is computed, for an argument that is out of its
///   range; with ``FFTError/Code/fft`` when the native side fails.
public nonisolated(nonsending) func computeFFT(
  _ buffer: [Float], options: FFTOptions = FFTOptions()
) async throws(FFTError) -> FFTResult {
  let size = try options.size(forCount: buffer.count)
  let window = options.window.native
  let magnitudes = await offCaller { () -> Result<[Float], FFTError> in
    do throws(NativeError) {
      guard let magnitudes = try NativeSpectrum.compute(of: buffer.span, size: size, window: window) else {
        // A path that the environment asks for and the machine does not have is refused without a text.
        do throws(FFTError) { _ = try FFT.InstructionSet.preferred() } catch { return .failure(error) }
        return .failure(.native("the native transform gave no result", advice: "Report it with this text."))
      }
      return .success(magnitudes)
    } catch {
      return .failure(FFTError(error))
    }
  }
  let width = options.sampleRate / Double(size)
  return FFTResult(magnitudes: try magnitudes.get(), frequencies: (0..<size / 2).map { Double($0) * width })
}

/// The magnitudes of a signal's spectrum, with loose options and a loose result.
///
/// It can be called from any actor: the options are read on the caller's, and only values that are `Sendable` leave it.
///
/// ```swift
/// let result = try await computeFFT(buffer: samples, options: ["fftSize": 2048, "sampleRate": 48_000.0])
/// let magnitudes = result["magnitude"] as? [Float]
/// ```
///
/// - Parameters:
///   - buffer: at least one sample; see ``computeFFT(_:options:)``.
///   - options: any of
///     - `fftSize`: the number of samples N, a power of two from 256 to 8,192; by default the buffer's length;
///     - `windowType`: `none`, `rectangular`, `hann`, `hanning`, `hamming` or `blackman`; by default `hanning`;
///     - `sampleRate`: in Hz, finite and above 0; by default 44,100.
/// - Returns: `magnitude`, a `[Float]` of N/2 magnitudes, and `frequencies`, a `[Double]` of as many frequencies in Hz.
/// - Throws: ``FFTError``, which bridges to an `NSError` of the domain `rustle.fft`: code 1, `VALIDATION_ERROR`, for an
///   option of another type, an unknown option, or an argument out of its range; code 2, `FFT_ERROR`, when the native side
///   fails.
public nonisolated(nonsending) func computeFFT(
  buffer: [Float], options: [String: Any] = [:]
) async throws(FFTError) -> [String: Any] {
  let result = try await computeFFT(buffer, options: FFTOptions(options))
  return ["magnitude": result.magnitudes, "frequencies": result.frequencies]
}

/// Runs `work` on the concurrent thread pool at user-initiated priority, whatever actor and priority the caller has.
///
/// It is not cancelled with the caller's task: the work takes microseconds, and its result is thrown away soon enough.
func offCaller<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await Task.detached(priority: .userInitiated, operation: work).value
}
