/// One spectrum of a whole recording: the average of the power spectra of its overlapping frames (P. D. Welch, "The use of fast
/// Fourier transform for the estimation of power spectra", IEEE Trans. Audio Electroacoust. 15, 1967), which makes steady tones
/// stand out of noise.
///
/// ```swift
/// var analyzer = try WelchAnalyzer(size: 4096, sampleRate: 48_000)
/// analyzer.add(samples)
/// let spectrum = try analyzer.spectrum()
/// for peak in spectrum.peaks(limit: 5) { print(peak.frequency, peak.decibels) }
/// ```
///
/// The signal may arrive in pieces of any length, which do not change the result. The mean is computed in double precision.
/// Memory does not grow with the signal.
public struct WelchAnalyzer: Sendable {
  /// The number of samples N of an analysis frame.
  public let size: Int
  /// The periodic window function of the frames.
  public let window: WindowFunction
  /// The part of a frame that the next one shares with it.
  public let overlap: Double
  /// The signal's sample rate in Hz.
  public let sampleRate: Double
  /// The number of whole analysis frames so far.
  public private(set) var frames = 0

  private let fft: FFT
  /// The hop size in samples.
  private let hop: Int
  /// The frame that is being filled: its first `filled` samples are there.
  private var frame: [Float]
  private var filled = 0
  private var power: [Float]
  private var powerSums: [Double]
  private var failure: FFTError?

  /// Creates an analyzer that has received no samples.
  ///
  /// - Parameters:
  ///   - size: the number of samples N of an analysis frame, a power of two from 64 to 65,536: bins are `sampleRate` / N apart.
  ///   - window: the window function of the frames.
  ///   - overlap: the part of a frame that the next one shares with it, from 0 to less than 1; the hop size is rounded to a whole
  ///     number of samples and at least 1.
  ///   - sampleRate: of the signal, in Hz, finite and above 0.
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` for a value out of its range.
  public init(
    size: Int, window: WindowFunction = .hann, overlap: Double = 0.5, sampleRate: Double
  ) throws(FFTError) {
    guard overlap >= 0, overlap < 1 else {
      throw .validation(
        "overlap", expected: "a part of a frame from 0 to less than 1", got: "\(overlap)",
        advice: "0.5 is usual for the Hann window.")
    }
    guard sampleRate.isFinite, sampleRate > 0 else {
      throw .validation(
        "sampleRate", expected: "a finite number of Hz above 0", got: "\(sampleRate)",
        advice: "Pass the rate that the signal was recorded at.")
    }
    fft = try FFT(size: size, window: window, normalization: .amplitude)
    self.size = size
    self.window = window
    self.overlap = overlap
    self.sampleRate = sampleRate
    hop = max(1, Int((Double(size) * (1 - overlap)).rounded()))
    frame = [Float](repeating: 0, count: size)
    power = [Float](repeating: 0, count: fft.binCount)
    powerSums = [Double](repeating: 0, count: fft.binCount)
  }

  /// The largest power of two, from 64 to `size`, that is at most `count`: a frame longer than its signal contains silence, and
  /// its levels are too low.
  ///
  /// - Parameters:
  ///   - size: the wanted samples of a frame.
  ///   - count: the samples of the signal.
  public static func size(_ size: Int, forSamples count: Int) -> Int {
    var size = size
    while size > count && size > 64 { size /= 2 }
    return size
  }

  /// Adds the next samples of the signal.
  public mutating func add(_ samples: [Float]) { add(samples.span) }

  /// Adds the next samples of the signal. Allocates nothing after the first frame.
  public mutating func add(_ samples: Span<Float>) {
    var position = 0
    while position < samples.count {
      let count = min(size - filled, samples.count - position)
      for index in 0..<count { frame[filled + index] = samples[position + index] }
      filled += count
      position += count
      if filled == size {
        addFrame()
        for index in hop..<size { frame[index - hop] = frame[index] }
        filled = size - hop
      }
    }
  }

  /// The mean spectrum of the whole frames so far. Samples at the end that do not fill a frame are left out. A signal shorter
  /// than one frame is padded with zeros, so that its amplitudes read lower by the missing part.
  ///
  /// - Throws: ``FFTError`` with ``FFTError/Code/validation`` without any sample, and with ``FFTError/Code/fft`` when the native
  ///   side failed.
  public func spectrum() throws(FFTError) -> Spectrum {
    if let failure { throw failure }
    if frames == 0 {
      guard filled > 0 else {
        throw .validation("signal", expected: "at least 1 sample", got: "0", advice: "Add samples first.")
      }
      var padded = self
      // The rest of the first frame still has its initial zeros.
      padded.addFrame()
      return try padded.spectrum()
    }
    let amplitudes = powerSums.map { Float(($0 / Double(frames)).squareRoot()) }
    return Spectrum(sampleRate: sampleRate, size: size, window: window, frames: frames, amplitudes: amplitudes)
  }

  private mutating func addFrame() {
    // Local names: the span below borrows all of `self`.
    let (fft, frame) = (fft, frame)
    var output = power.mutableSpan
    do {
      try fft.powerSpectrum(of: frame.span, into: &output)
    } catch {
      // The lengths are right: the native side failed, which `spectrum` reports.
      failure = error
      return
    }
    for bin in powerSums.indices { powerSums[bin] += Double(power[bin]) }
    frames += 1
  }
}
