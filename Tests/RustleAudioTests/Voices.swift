import TestSupport
import Foundation

/// Vowels with known resonances, and noise, for tests.
enum Voices {
  /// Roughly an /a/ of a man: frequencies and bandwidths in Hz, the last two for the slope above the first three.
  static let a: [(frequency: Double, bandwidth: Double)] = [
    (700, 80), (1_220, 90), (2_600, 120), (3_500, 175), (4_500, 250),
  ]

  /// Pulses at `f0` Hz, band-limited, through a low-pass of the glottis and one resonance after the other, at a peak of 0.5.
  static func vowel(
    f0: Double, formants: [(frequency: Double, bandwidth: Double)], seconds: Double, sampleRate: Double
  ) -> [Float] {
    let count = Int(seconds * sampleRate)
    let partials = Int(0.45 * sampleRate / f0)
    var sound = (0..<count).map { n in
      let phase = 2 * Double.pi * f0 * Double(n) / sampleRate
      // A sum of cosines in closed form.
      let half = sin(phase / 2)
      if abs(half) < 1e-9 { return Double(partials) }
      return 0.5 * (sin((Double(partials) + 0.5) * phase) / half - 1)
    }
    filter(&sound, frequency: 0, bandwidth: 100, sampleRate: sampleRate)
    for formant in formants {
      filter(&sound, frequency: formant.frequency, bandwidth: formant.bandwidth, sampleRate: sampleRate)
    }
    let peak = sound.reduce(0) { max($0, abs($1)) }
    return sound.map { Float(0.5 * $0 / peak) }
  }

  private static func filter(
    _ sound: inout [Double], frequency: Double, bandwidth: Double, sampleRate: Double
  ) {
    let radius = exp(-Double.pi * bandwidth / sampleRate)
    let first = 2 * radius * cos(2 * Double.pi * frequency / sampleRate)
    var (before, twoBefore) = (0.0, 0.0)
    for index in sound.indices {
      let value = sound[index] + first * before - radius * radius * twoBefore
      (before, twoBefore) = (value, before)
      sound[index] = value
    }
  }

  /// White noise of amplitude 0.3, the same each time.
  static func noise(count: Int) -> [Float] {
    var generator = SeededGenerator(seed: 7)
    return (0..<count).map { _ in Float.random(in: -0.3...0.3, using: &generator) }
  }
}
