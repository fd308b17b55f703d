import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

/// What the spectrogram command found, and how it is to be drawn.
struct SpectrogramResult {
  let path: String
  let format: AudioFileFormat
  /// The channel that was analysed, counted from 1; nil: the mean of all.
  let channel: Int?
  /// Frames of the file that were read.
  let framesRead: Int
  let stft: STFT
  let columns: SpectrogramColumns
  /// Decibels from the darkest to the lightest colour.
  let range: Double
  /// The highest frequency drawn, in Hz.
  let maximumFrequency: Double
  let isLogarithmic: Bool
  /// Where a logarithmic axis begins, in Hz.
  var minimumFrequency = 20.0

  /// The path as texts show it.
  var name: String { path == AudioFileReader.standardInputPath ? "standard input" : path }

  /// Seconds of sound that were read.
  private var seconds: Double { Double(framesRead) / format.sampleRate }
  /// The width of a bin, in Hz.
  private var bin: Double { format.sampleRate / Double(stft.size) }

  /// The levels as cells: the middle of the first column's first frame is at 0 s, the middle of the first row at 0 Hz.
  var grid: HeatGrid {
    let step = Double(stft.hop) / format.sampleRate
    let frames = Double(columns.count * columns.framesEach)
    return HeatGrid(
      columns: columns.count, rows: columns.rows, x: -step / 2...(frames - 0.5) * step,
      y: -bin / 2...(Double(columns.rows) - 0.5) * bin, values: columns.values)
  }

  func time(maximumLabels: Int) -> Axis {
    Axis(title: "Time (s)", scale: .linear, range: 0...seconds, maximumLabels: maximumLabels)
  }

  /// Logarithmic from the minimum, or from the first bin where that is higher; linear from 0 Hz.
  func frequency(maximumLabels: Int) -> Axis {
    if isLogarithmic {
      let bottom = min(max(minimumFrequency, bin), maximumFrequency / 2)
      return .frequency(bottom...maximumFrequency, maximumLabels: maximumLabels)
    }
    return Axis(
      title: "Frequency (Hz)", scale: .linear, range: 0...maximumFrequency, maximumLabels: maximumLabels,
      label: UnitLabel.hertz)
  }

  /// From the next ten above the highest level downwards. Below -120 dBFS there is nothing that 24 bits can hold: such a
  /// recording is drawn as silence against full scale.
  func levels(maximumLabels: Int) -> Axis {
    let highest = columns.values.lazy.filter(\.isFinite).max() ?? -.infinity
    let top = highest > -120 ? (Double(highest) / 10).rounded(.up) * 10 : 0
    return .level(top - range...top, maximumLabels: maximumLabels)
  }

  /// What the file is, and how it was analysed, each as a line.
  var lines: [String] {
    let channels =
      switch (format.channels, channel) {
      case (1, _): "mono"
      case (let count, nil): "mean of \(count) channels"
      case (let count, let channel?): "channel \(channel) of \(count)"
      }
    let rate = String(format: "%.6g kHz", format.sampleRate / 1_000)
    let window = stft.window == .rectangular ? "no window" : "\(WindowChoice(stft.window).rawValue) window"
    let frames = columns.frames == 1 ? "1 frame" : "\(columns.frames) frames"
    let hop = String(format: "%.4g ms", Double(stft.hop) / format.sampleRate * 1_000)
    return [
      "\(format.container), \(format.codec), \(rate), \(channels), \(String(format: "%.2f s", seconds))",
      "\(stft.size) points, \(window), \(frames), one each \(hop), \(String(format: "%.4g Hz", bin)) a bin",
    ]
  }
}

/// Draws a result as a PNG file.
enum SpectrogramPicture {
  static func plot(_ result: SpectrogramResult) -> HeatMap {
    HeatMap(
      title: URL(filePath: result.name).lastPathComponent, subtitle: result.lines.joined(separator: "; "),
      x: result.time(maximumLabels: 12), y: result.frequency(maximumLabels: 10),
      values: result.levels(maximumLabels: 10), grid: result.grid)
  }
}
