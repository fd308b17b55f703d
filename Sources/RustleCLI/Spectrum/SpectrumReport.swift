import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

/// Writes a result for people: what was read, the picture, the peaks.
struct SpectrumReport {
  let result: SpectrumResult
  let profile: TerminalProfile

  private var glyphs: Glyphs { Glyphs(for: profile) }

  func text() -> String {
    let painter = Painter(isEnabled: profile.usesColor)
    let spectrum = result.spectrum
    var text = painter(result.name, .bold) + "\n" + Self.fileLine(result) + "\n" + Self.analysisLine(result) + "\n\n"
    text += SpectrumBars(
      frequencies: spectrum.frequencies, decibels: spectrum.decibels.map(Double.init), profile: profile
    ).text()
    text += "\n" + peaks(painter)
    return text
  }

  /// What the file is: `FLAC, Signed 16 bit PCM, 44.1 kHz, 2 channels (mean), 5.20 s`.
  static func fileLine(_ result: SpectrumResult) -> String {
    let format = result.format
    let rate = String(format: "%.6g kHz", format.sampleRate / 1_000)
    let channels =
      switch (format.channels, result.channel) {
      case (1, _): "mono"
      case (let count, nil): "mean of \(count) channels"
      case (let count, let channel?): "channel \(channel) of \(count)"
      }
    let seconds = String(format: "%.2f s", result.seconds)
    return "\(format.container), \(format.codec), \(rate), \(channels), \(seconds)"
  }

  /// How it was analysed: `8192-point hann window, 55 frames, overlap 50 %, 5.38 Hz a bin`.
  static func analysisLine(_ result: SpectrumResult) -> String {
    let spectrum = result.spectrum
    let window = result.windowName == "none" ? "no window" : "\(result.windowName) window"
    let bin = String(format: "%.4g Hz", spectrum.sampleRate / Double(spectrum.size))
    let overlap = String(format: "%.4g %%", result.overlap * 100)
    let frames = spectrum.frames == 1 ? "1 frame" : "\(spectrum.frames) frames"
    return "\(spectrum.size) points, \(window), \(frames), overlap \(overlap), \(bin) a bin"
  }

  private func peaks(_ painter: Painter) -> String {
    guard !result.peaks.isEmpty else {
      return "No peak above \(plain(UnitLabel.decibels(SpectrumCommand.threshold))).\n"
    }
    var text = painter("  #     FREQUENCY      LEVEL", .bold) + "\n"
    for (index, peak) in result.peaks.enumerated() {
      let number = String(index + 1).leftPadded(to: 3)
      let frequency = String(format: "%.3f Hz", peak.frequency).leftPadded(to: 14)
      text += "\(number)\(frequency)\(plain(UnitLabel.decibels(peak.decibels)).leftPadded(to: 11))\n"
    }
    return text
  }

  private func plain(_ text: String) -> String { text.replacing("\u{2212}", with: String(glyphs.minus)) }
}
