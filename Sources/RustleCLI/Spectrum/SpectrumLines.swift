import RustleAudio
import RustleAudioFiles

/// Writes a result for programs.
enum SpectrumLines {
  /// One object with the file, the analysis and the peaks, the strongest first.
  static func ndjson(_ result: SpectrumResult) -> String {
    var line = JSONLine()
    line.add("path", .string(result.path))
    line.add("container", .string(result.format.container))
    line.add("codec", .string(result.format.codec))
    line.add("sample_rate_hz", .number(result.format.sampleRate))
    line.add("channels", .integer(Int64(result.format.channels)))
    line.add("channel", result.channel.map { .integer(Int64($0)) } ?? .null)
    line.add("duration_s", .number(result.seconds))
    line.add("size", .integer(Int64(result.spectrum.size)))
    line.add("window", .string(result.windowName))
    line.add("overlap", .number(result.overlap))
    line.add("frames", .integer(Int64(result.spectrum.frames)))
    line.add(
      "peaks",
      .array(
        result.peaks.map { peak in
          .object([
            ("hz", .number(peak.frequency)), ("db", .number(peak.decibels)), ("amplitude", .number(peak.amplitude)),
          ])
        }))
    return line.text
  }

  /// The whole spectrum, one bin a record; a silent bin has no level.
  static func csv(_ result: SpectrumResult) -> String {
    let spectrum = result.spectrum
    var text = CSVLine.text(["hz", "db", "amplitude"])
    for (index, frequency) in spectrum.frequencies.enumerated() {
      let level = spectrum.decibels[index]
      text += CSVLine.text([String(frequency), level.isFinite ? String(level) : "", String(spectrum.amplitudes[index])])
    }
    return text
  }
}
