internal import Foundation
internal import RustleCore

/// The mean amplitude spectrum of a signal.
public struct Spectrum: Sendable, Hashable {
  /// The signal's sample rate in Hz.
  public let sampleRate: Double
  /// The number of samples N of an analysis frame.
  public let size: Int
  /// The periodic window function of the frames.
  public let window: WindowFunction
  /// The number of averaged analysis frames.
  public let frames: Int
  /// The amplitude in each of N/2 + 1 bins, the root of the mean power: a steady sine of amplitude 1 on a bin's frequency
  /// reads 1.0.
  public let amplitudes: [Float]

  package init(sampleRate: Double, size: Int, window: WindowFunction, frames: Int, amplitudes: [Float]) {
    self.sampleRate = sampleRate
    self.size = size
    self.window = window
    self.frames = frames
    self.amplitudes = amplitudes
  }

  /// The distance of neighbouring bins in Hz.
  public var binWidth: Double { sampleRate / Double(size) }

  /// The frequency of each bin in Hz.
  public var frequencies: [Double] { amplitudes.indices.map { Double($0) * binWidth } }

  /// The level of each bin in dB relative to a full-scale sine, at least ``FFT/decibelFloor``. A bin that is NaN stays NaN.
  public var decibels: [Float] { amplitudes.map { Float(level(of: Double($0))) } }

  /// The strongest tones, with their frequencies between the bins.
  ///
  /// A tone is a bin above its neighbours that is not a side lobe of a stronger one; a constant part is not a tone. In a clean
  /// signal the frequency is within a ten-thousandth of ``binWidth`` once it is 10 bins or more away from 0 Hz and from half
  /// the sample rate, and 20 from other tones of its strength (Hann or Blackman window).
  ///
  /// - Parameters:
  ///   - limit: the most tones to return; 0 or less returns none.
  ///   - decibels: the least level of a tone, relative to a full-scale sine. NaN: none.
  /// - Returns: the tones by falling amplitude.
  public func peaks(limit: Int = 10, threshold decibels: Double = -90) -> [SpectralPeak] {
    let threshold = pow(10, decibels / 20)
    guard threshold.isFinite else { return [] }
    let search = NativePeakSearch(
      sampleRate: sampleRate, threshold: threshold, separation: 0, window: window.native)
    let found = NativeError.logging { () throws(NativeError) in
      try NativeSpectrum.peaks(in: amplitudes.span, search, limit: limit)
    }
    return (found ?? []).map { SpectralPeak(frequency: $0.frequency, amplitude: $0.amplitude) }
  }
}

/// A tone in a ``Spectrum``.
public struct SpectralPeak: Sendable, Hashable, Codable {
  /// The frequency in Hz.
  public let frequency: Double
  /// The amplitude: 1.0 for a full-scale sine.
  public let amplitude: Double
  /// The level in dB relative to a full-scale sine, at least ``FFT/decibelFloor``.
  public let decibels: Double

  package init(frequency: Double, amplitude: Double) {
    self.frequency = frequency
    self.amplitude = amplitude
    decibels = level(of: amplitude)
  }
}

private func level(of amplitude: Double) -> Double {
  let level = 20 * log10(amplitude)
  // Not `max`, whose result for NaN is not documented.
  return level < Double(FFT.decibelFloor) ? Double(FFT.decibelFloor) : level
}
