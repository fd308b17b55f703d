import Foundation
import RustleAudio

/// Writes a result for people, one number a line. A pure function of what it is given.
struct VoiceReport {
  let result: VoiceResult
  let profile: TerminalProfile

  private var glyphs: Glyphs { Glyphs(for: profile) }
  private var painter: Painter { Painter(isEnabled: profile.usesColor) }

  /// The lines, each ended by a line feed.
  func text() -> String {
    let search = result.formantSearch
    var text = painter(result.subject.name, .bold) + "\n\(result.subject.line)\n"
    text += String(
      format: "%.2f s, voices of %.6g to %.6g Hz,\n%@ formants up to %.6g Hz\n", result.seconds,
      result.range.lowerBound, result.range.upperBound, search.method.rawValue, search.ceiling)
    for section in sections {
      text += "\n" + painter(section.name, .bold) + "\n"
      for row in section.rows { text += line(row) }
    }
    return glyphs.plain(text)
  }

  private typealias Row = (name: String, value: Double?, format: String, unit: String)

  private func line(_ row: Row) -> String {
    var value = String(glyphs.unknown)
    if let number = row.value, number.isFinite {
      value = String(format: row.format, number)
      // What rounds to nothing has no sign.
      if value.allSatisfy({ "-0.".contains($0) }) { value = value.replacing("-", with: "") }
      value = value.replacing("-", with: String(glyphs.minus))
    }
    let unit = row.unit.isEmpty ? "" : " \(row.unit)"
    let name = row.name + String(repeating: " ", count: max(0, 19 - row.name.count))
    return "  " + name + value.leftPadded(to: 9) + unit + "\n"
  }

  private var sections: [(name: String, rows: [Row])] {
    let (summary, measures) = (result.summary, result.measures)
    let steadiness = measures.perturbation
    func of(_ periods: Int, _ value: Double) -> Double? { steadiness.periods >= periods ? value : nil }
    var formants: [Row] = []
    for (number, formant) in zip(1..., result.formants) {
      formants.append(("F\(number)", formant.frequency, "%.0f", "Hz"))
      formants.append(("F\(number) bandwidth", formant.bandwidth, "%.0f", "Hz"))
    }
    if formants.isEmpty { formants = [("F1", nil, "", "Hz")] }
    let spectrum = measures.spectrum
    let hasSound = spectrum.centroid > 0
    return [
      (
        "PITCH",
        [
          ("frames", Double(summary.frames), "%.0f", ""), ("voiced", 100 * result.voicedShare, "%.1f", "%"),
          ("confidence", result.confidence, "%.2f", ""),
          ("median", result.medianPitch, "%.2f", "Hz"),
          ("mean", summary.meanPitch ?? result.medianPitch, "%.2f", "Hz"),
          ("deviation", summary.pitchDeviation, "%.2f", "Hz"),
        ]
      ),
      (
        "QUALITY",
        [
          ("harmonics-to-noise", measures.ratio.hnr, "%.1f", "dB"),
          ("H1-H2", measures.harmonics.f0 == nil ? nil : measures.harmonics.h1h2, "%.1f", "dB"),
          ("periods", Double(steadiness.periods), "%.0f", ""),
          ("jitter", of(2, 100 * steadiness.jitter), "%.3f", "%"),
          ("jitter, rap", of(3, 100 * steadiness.jitterRAP), "%.3f", "%"),
          ("jitter, ppq5", of(5, 100 * steadiness.jitterPPQ5), "%.3f", "%"),
          ("shimmer", of(2, 100 * steadiness.shimmer), "%.3f", "%"),
          ("shimmer", of(2, steadiness.shimmerDecibels), "%.3f", "dB"),
          ("shimmer, apq3", of(3, 100 * steadiness.shimmerAPQ3), "%.3f", "%"),
          ("shimmer, apq5", of(5, 100 * steadiness.shimmerAPQ5), "%.3f", "%"),
        ]
      ),
      ("FORMANTS", formants),
      (
        "SPECTRUM",
        [
          ("centroid", hasSound ? spectrum.centroid : nil, "%.0f", "Hz"),
          ("rolloff, 95 %", hasSound ? spectrum.rolloff : nil, "%.0f", "Hz"),
          ("tilt", hasSound ? spectrum.tilt : nil, "%.1f", "dB/octave"),
        ]
      ),
    ]
  }
}
