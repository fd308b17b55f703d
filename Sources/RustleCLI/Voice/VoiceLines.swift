import Foundation
import RustleAudio

/// Writes the frames of a voice, and all of it in sum, for programs; of frames also for people.
struct VoiceLines: Sendable {
  let format: OutputFormat
  let profile: TerminalProfile

  private typealias Fields = [(String, JSONLine.Value)]

  /// The formants of a frame that are written.
  private static let formants = 1...5

  // MARK: frames

  /// What comes before the first frame.
  var header: String {
    switch format {
    case .ndjson: ""
    case .csv:
      CSVLine.text(
        Self.fields(VoiceFrame(sample: 0, time: 0, pitch: nil, confidence: 0, isVoiced: false)).map(\.0))
    case .auto, .text:
      Painter(isEnabled: profile.usesColor)(
        "     TIME      F0  CONF     HNR    F1    F2    F3  CENTROID", .bold) + "\n"
    }
  }

  /// The lines of some frames, each with its line feed.
  func text(_ frames: some Sequence<VoiceFrame>) -> String {
    var text = ""
    for frame in frames { text += line(frame) }
    return text
  }

  private func line(_ frame: VoiceFrame) -> String {
    switch format {
    case .ndjson: return Self.record("frame", Self.fields(frame))
    case .csv: return Self.csv(Self.fields(frame))
    case .auto, .text:
      let glyphs = Glyphs(for: profile)
      func cell(_ value: Double?, _ format: String, _ width: Int) -> String {
        guard let value, value.isFinite else { return String(glyphs.unknown).leftPadded(to: width) }
        return String(format: format, value).replacing("-", with: String(glyphs.minus)).leftPadded(to: width)
      }
      let cells = [
        cell(frame.time, "%.3f", 9), cell(frame.isVoiced ? frame.pitch : nil, "%.2f", 8),
        cell(frame.confidence, "%.2f", 6), cell(frame.harmonicsToNoise, "%.1f", 8),
        cell(frame.formants.f1, "%.0f", 6), cell(frame.formants.f2, "%.0f", 6), cell(frame.formants.f3, "%.0f", 6),
        cell(frame.centroid, "%.0f", 10),
      ]
      return cells.joined() + "\n"
    }
  }

  private static func fields(_ frame: VoiceFrame) -> Fields {
    var fields: Fields = [
      ("time_s", .number(frame.time)),
      ("f0_hz", value(frame.isVoiced ? frame.pitch : nil)),
      ("confidence", .number(frame.confidence)),
      ("voiced", .bool(frame.isVoiced)),
      ("level_db", .number(frame.level)),
      ("hnr_db", value(frame.harmonicsToNoise)),
    ]
    for number in formants {
      fields.append(("f\(number)_hz", value(frame.formants[number]?.frequency)))
      fields.append(("b\(number)_hz", value(frame.formants[number]?.bandwidth)))
    }
    fields += [("formant_confidence", .number(frame.formants.confidence)), ("centroid_hz", value(frame.centroid))]
    return fields
  }

  // MARK: in sum

  /// The one object or the one record of a result, with a header where the format has one.
  func summary(_ result: VoiceResult) -> String {
    let fields = Self.fields(result)
    return format == .ndjson
      ? Self.record("summary", fields) : CSVLine.text(fields.map(\.0)) + Self.csv(fields)
  }

  private static func fields(_ result: VoiceResult) -> Fields {
    let (summary, measures) = (result.summary, result.measures)
    let steadiness = measures.perturbation
    func of(_ periods: Int, _ number: Double) -> JSONLine.Value {
      steadiness.periods >= periods ? .number(number) : .null
    }
    var fields: Fields = [
      ("input", .string(result.subject.name)),
      ("sample_rate_hz", .number(result.subject.format.sampleRate)),
      ("channels", .integer(Int64(result.subject.format.channels))),
      ("channel", result.subject.channel.map { .integer(Int64($0)) } ?? .null),
      ("duration_s", .number(result.seconds)),
      ("minimum_hz", .number(result.range.lowerBound)),
      ("maximum_hz", .number(result.range.upperBound)),
      ("ceiling_hz", .number(result.formantSearch.ceiling)),
      ("method", .string(result.formantSearch.method.rawValue)),
      ("frames", .integer(Int64(summary.frames))),
      ("voiced_frames", .integer(Int64(summary.voicedFrames))),
      ("confidence", value(result.confidence)),
      ("f0_median_hz", value(result.medianPitch)),
      ("f0_mean_hz", value(summary.meanPitch ?? result.medianPitch)),
      ("f0_deviation_hz", value(summary.pitchDeviation)),
      ("hnr_db", .number(measures.ratio.hnr)),
      ("h1_h2_db", measures.harmonics.f0 == nil ? .null : .number(measures.harmonics.h1h2)),
      ("h1_db", .number(measures.harmonics.h1AmplitudeDb)),
      ("h2_db", .number(measures.harmonics.h2AmplitudeDb)),
      ("periods", .integer(Int64(steadiness.periods))),
      ("mean_period_s", of(1, steadiness.meanPeriod)),
      ("jitter", of(2, steadiness.jitter)),
      ("jitter_rap", of(3, steadiness.jitterRAP)),
      ("jitter_ppq5", of(5, steadiness.jitterPPQ5)),
      ("shimmer", of(2, steadiness.shimmer)),
      ("shimmer_db", of(2, steadiness.shimmerDecibels)),
      ("shimmer_apq3", of(3, steadiness.shimmerAPQ3)),
      ("shimmer_apq5", of(5, steadiness.shimmerAPQ5)),
    ]
    for number in formants {
      let formant = number <= result.formants.count ? result.formants[number - 1] : nil
      fields.append(("f\(number)_hz", value(formant?.frequency)))
      fields.append(("b\(number)_hz", value(formant?.bandwidth)))
    }
    let spectrum = measures.spectrum
    let hasSound = spectrum.centroid > 0
    fields += [
      ("centroid_hz", value(hasSound ? spectrum.centroid : nil)),
      ("rolloff_hz", value(hasSound ? spectrum.rolloff : nil)),
      ("tilt_db_per_octave", value(hasSound ? spectrum.tilt : nil)),
    ]
    return fields
  }

  // MARK: records

  private static func value(_ number: Double?) -> JSONLine.Value { number.map { .number($0) } ?? .null }

  private static func record(_ kind: String, _ fields: Fields) -> String {
    var line = JSONLine()
    line.add("kind", .string(kind))
    for (name, value) in fields { line.add(name, value) }
    return line.text
  }

  /// A record; what is not there is empty.
  private static func csv(_ fields: Fields) -> String {
    CSVLine.text(
      fields.map { field in
        switch field.1 {
        case .string(let text): text
        case .number(let number): number.isFinite ? String(number) : ""
        case .integer(let integer): String(integer)
        case .bool(let bool): bool ? "true" : "false"
        case .unsigned, .null, .array, .object: ""
        }
      })
  }
}
