import Foundation
import RustleAudio
import RustlePlot

extension VoiceFrame {
  static var columns: [Column<Self>] {
    let shown = [1: "F1", 2: "F2", 3: "F3"]
    let formants = (1...5).flatMap { number -> [Column<Self>] in
      let frequency = Column("f\(number)_hz") { (frame: Self) in frame.formants.formant(number)?.frequency }
      return [
        shown[number].map { frequency.shown($0, 6, "%.0f") } ?? frequency,
        Column("b\(number)_hz") { $0.formants.formant(number)?.bandwidth },
      ]
    }
    return [
      Column("time_s", \.time).shown("TIME", 9, "%.3f"),
      Column("f0_hz") { $0.isVoiced ? $0.pitch : nil }.shown("F0", 8, "%.2f"),
      Column("confidence", \.confidence).shown("CONF", 6, "%.2f"),
      Column("voiced", \.isVoiced),
      Column("level_db", \.level),
      Column("hnr_db", \.harmonicsToNoise).shown("HNR", 8, "%.1f"),
    ] + formants + [
      Column("formant_confidence", \.formants.confidence),
      Column("centroid_hz", \.centroid).shown("CENTROID", 10, "%.0f"),
    ]
  }
}

struct VoiceResult: Sendable {
  let subject: SoundSubject
  let report: VoiceReport

  private static let columns = subject + pitch + quality + formants + spectrum

  private static let subject: [Column<Self>] = [
    Column("input", \.subject.name),
    Column("sample_rate_hz", \.subject.format.sampleRate),
    Column("channels", \.subject.format.channels),
    Column("channel", \.subject.channel),
    Column("duration_s", \.report.seconds),
    Column("minimum_hz", \.report.range.lowerBound),
    Column("maximum_hz", \.report.range.upperBound),
    Column("ceiling_hz", \.report.formantSearch.ceiling),
    Column("method", \.report.formantSearch.method.rawValue),
  ]

  private static let pitch: [Column<Self>] = [
    .section("PITCH"),
    Column("frames", \.report.summary.frames).shown("frames", 9, "%.0f"),
    Column("voiced_frames", \.report.summary.voicedFrames).shown("voiced", 9, unit: "%") {
      Numbers.text(100 * $0.report.voicedShare, "%.1f", $1)
    },
    Column("confidence", \.report.confidence).shown("confidence", 9, "%.2f"),
    Column("f0_median_hz", \.report.medianPitch).shown("median", 9, "%.2f", unit: "Hz"),
    Column("f0_mean_hz") { $0.report.summary.meanPitch ?? $0.report.medianPitch }.shown(
      "mean", 9, "%.2f", unit: "Hz"),
    Column("f0_deviation_hz", \.report.summary.pitchDeviation).shown("deviation", 9, "%.2f", unit: "Hz"),
  ]

  private static let quality: [Column<Self>] = [
    .section("QUALITY"),
    Column("hnr_db", \.report.measures.ratio.hnr).shown("harmonics-to-noise", 9, "%.1f", unit: "dB"),
    Column("h1_minus_h2_db") { $0.report.measures.harmonics.f0 == nil ? nil : $0.report.measures.harmonics.h1MinusH2 }
      .shown("H1-H2", 9, "%.1f", unit: "dB"),
    Column("h1_db", \.report.measures.harmonics.h1AmplitudeDb),
    Column("h2_db", \.report.measures.harmonics.h2AmplitudeDb),
    Column("periods", \.report.measures.perturbation.periods).shown("periods", 9, "%.0f"),
    Column("mean_period_s") { $0.perturbation(from: 1, \.meanPeriod) },
    ratio("jitter", "jitter", from: 2, \.jitter),
    ratio("jitter_rap", "jitter, rap", from: 3, \.jitterRAP),
    ratio("jitter_ppq5", "jitter, ppq5", from: 5, \.jitterPPQ5),
    ratio("shimmer", "shimmer", from: 2, \.shimmer),
    Column("shimmer_db") { $0.perturbation(from: 2, \.shimmerDecibels) }.shown("shimmer", 9, "%.3f", unit: "dB"),
    ratio("shimmer_apq3", "shimmer, apq3", from: 3, \.shimmerAPQ3),
    ratio("shimmer_apq5", "shimmer, apq5", from: 5, \.shimmerAPQ5),
  ]

  private static let formants: [Column<Self>] =
    [.section("FORMANTS")]
    + (1...5).flatMap { number -> [Column<Self>] in
      let shown = "F\(number)"
      return [
        Column("f\(number)_hz") { $0.formant(number)?.frequency }.shown(shown, 9, "%.0f", unit: "Hz"),
        Column("b\(number)_hz") { $0.formant(number)?.bandwidth }.shown(shown + " bandwidth", 9, "%.0f", unit: "Hz"),
      ]
    }

  private static let spectrum: [Column<Self>] = [
    .section("SPECTRUM"),
    Column("centroid_hz") { $0.spectrum(\.centroid) }.shown("centroid", 9, "%.0f", unit: "Hz"),
    Column("rolloff_hz") { $0.spectrum(\.rolloff) }.shown("rolloff, 95 %", 9, "%.0f", unit: "Hz"),
    Column("tilt_db_per_octave") { $0.spectrum(\.tilt) }.shown("tilt", 9, "%.1f", unit: "dB/octave"),
  ]

  /// A ratio of the periods, in per cent in text output.
  private static func ratio(
    _ name: String, _ title: String, from periods: Int, _ path: any KeyPath<VoicePerturbation, Double> & Sendable
  ) -> Column<Self> {
    Column(name) { $0.perturbation(from: periods, path) }.shown(title, 9, "%.3f", unit: "%", scale: 100)
  }

  /// A measure of the periods; nil for too few of them.
  private func perturbation(from periods: Int, _ path: KeyPath<VoicePerturbation, Double>) -> Double? {
    report.measures.perturbation.periods >= periods ? report.measures.perturbation[keyPath: path] : nil
  }

  private func spectrum(_ path: KeyPath<SpectrumFeatures, Double>) -> Double? {
    report.measures.spectrum.centroid > 0 ? report.measures.spectrum[keyPath: path] : nil
  }

  private func formant(_ number: Int) -> Formant? {
    number <= report.formants.count ? report.formants[number - 1] : nil
  }

  /// The result: a JSON object, a CSV header and record, or one number per line.
  func text(_ format: OutputFormat, profile: TerminalProfile) -> String {
    var table = Table(Self.columns, kind: "summary", format: format, profile: profile)
    guard format.isForPeople else { return table.header + table.line(self) }
    // The formants found, and the first in any case.
    table.columns.removeAll { column in
      (max(1, report.formants.count) + 1...6).contains { column.name == "f\($0)_hz" || column.name == "b\($0)_hz" }
        || (report.formants.isEmpty && column.name == "b1_hz")
    }
    let search = String(
      format: "%.2f s, voices of %.6g to %.6g Hz,\n%@ formants up to %.6g Hz\n", report.seconds,
      report.range.lowerBound, report.range.upperBound, report.formantSearch.method.rawValue,
      report.formantSearch.ceiling)
    return profile.glyphs.plain(profile.paint(subject.name, .bold) + "\n\(subject.line)\n" + search) + table.list(self)
  }
}
