import Foundation
import RustleAudio
import RustlePlot

/// The picture of a pitch contour over the spectrogram of its sound.
enum PitchPicture {
  /// - Parameters:
  ///   - result: the spectrogram, with a logarithmic frequency axis.
  ///   - frames: in the order of time.
  ///   - threshold: the least confidence of a voiced frame.
  ///   - subtitle: the parameters of the tracker.
  static func plot(
    _ result: SpectrogramResult, frames: [PitchFrame], threshold: Double, hop: Double, subtitle: String
  ) -> HeatMap {
    var map = result.plot
    map.subtitle = subtitle
    map.curves = stretches(frames, threshold: threshold).map { stretch in
      // A single frame is drawn one hop wide.
      let samples =
        stretch.count > 1 ? stretch : [-hop / 2, hop / 2].map { .init(x: stretch[0].x + $0, y: stretch[0].y) }
      return LineChart.Series(samples: samples)
    }
    return map
  }

  /// The voiced stretches. A leap of more than a fourth ends one, too.
  static func stretches(_ frames: [PitchFrame], threshold: Double) -> [[LineChart.Series.Sample]] {
    let fourth = pow(2, 5.0 / 12)
    var stretches: [[LineChart.Series.Sample]] = []
    var last: Double?
    for frame in frames {
      guard frame.isVoiced(from: threshold), let frequency = frame.frequency else {
        last = nil
        continue
      }
      if let last, max(last, frequency) <= fourth * min(last, frequency) {
        stretches[stretches.count - 1].append(.init(x: frame.time, y: frequency))
      } else {
        stretches.append([.init(x: frame.time, y: frequency)])
      }
      last = frequency
    }
    return stretches
  }
}
