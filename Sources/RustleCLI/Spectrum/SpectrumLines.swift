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
    // Each of these is computed when it is asked for.
    let (frequencies, levels) = (result.spectrum.frequencies, result.spectrum.decibels)
    let amplitudes = result.spectrum.amplitudes
    var text = CSVLine.text(["hz", "db", "amplitude"])
    for (index, frequency) in frequencies.enumerated() {
      let level = levels[index]
      text += CSVLine.text([String(frequency), level.isFinite ? String(level) : "", String(amplitudes[index])])
    }
    return text
  }
}
