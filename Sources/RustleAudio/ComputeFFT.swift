internal import RustleCore

/// The result of ``computeFFT(_:options:)``.
public struct FFTResult: Sendable, Hashable {
  /// The magnitudes of the first N/2 bins, not normalized: a sine of amplitude 1 reads about half the window function's sum.
  public let magnitudes: [Float]
  /// The frequency of each bin, in Hz: bin k is at k times the sample rate over N.
  public let frequencies: [Double]
}

/// Computes the magnitudes of a signal's spectrum, off the caller's actor at user-initiated priority.
///
/// A signal shorter than N is padded with zeros at its end, a longer one cropped to its first N samples, as in numpy's
/// `rfft(signal, N)`; the window function spans the N samples. The tables of each size and window function are made once and kept
/// for the life of the process, 1 MB at most. For many frames ``FFT`` saves the change of threads.
///
/// - Parameters:
///   - buffer: at least one sample. A sample that is NaN or infinite makes every magnitude NaN or infinite.
///   - options: the size N, the window function and the sample rate.
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
        // An instruction set that the environment names and the machine lacks is refused without a text.
        do throws(FFTError) { _ = try FFT.InstructionSet.preferred() } catch { return .failure(error) }
        return .failure(.native("the native transform returned no result", advice: "Report it with this text."))
      }
      return .success(magnitudes)
    } catch {
      return .failure(FFTError(error))
    }
  }
  let width = options.sampleRate / Double(size)
  return FFTResult(magnitudes: try magnitudes.get(), frequencies: (0..<size / 2).map { Double($0) * width })
}

/// Computes the magnitudes of a signal's spectrum, with a dictionary of options and one of results.
///
/// Any actor may call it: the options are read on the caller's actor, and only `Sendable` values leave it.
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
/// - Returns: `magnitude`, a `[Float]` of N/2 magnitudes, and `frequencies`, a `[Double]` of their frequencies in Hz.
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
/// The caller's cancellation does not reach it: the work takes microseconds.
func offCaller<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await Task.detached(priority: .userInitiated, operation: work).value
}
