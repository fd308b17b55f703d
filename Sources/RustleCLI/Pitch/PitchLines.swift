import Foundation
import RustleAudio

/// Writes the pitch of each frame on a line.
struct PitchLines: Sendable {
  let format: OutputFormat
  /// The confidence from which on a frame is voiced.
  let threshold: Double

  /// What comes before the first line.
  var header: String {
    guard format == .csv else { return "" }
    return CSVLine.text([
      "time_s", "f0_hz", "confidence", "voiced", "deviation_cents", "inharmonicity", "harmonicity_db", "level_db",
    ])
  }

  /// The lines of some frames, each with its line feed.
  func text(_ frames: some Sequence<PitchFrame>) -> String {
    var text = ""
    for frame in frames { text += line(frame) }
    return text
  }

  private func line(_ frame: PitchFrame) -> String {
    let frequency = frame.isVoiced(from: threshold) ? frame.frequency : nil
    switch format {
    case .auto, .text:
      return String(format: "%.6f %.10g %.6f\n", frame.time, frequency ?? 0, frame.confidence)
    case .csv:
      let isVoiced = frequency != nil
      return CSVLine.text(
        [String(frame.time), frequency.map { String($0) } ?? "", String(frame.confidence), isVoiced ? "true" : "false"]
          + [frame.deviation, frame.inharmonicity, frame.harmonicity, frame.level].map {
            $0.isFinite ? String($0) : ""
          })
    case .ndjson:
      var line = JSONLine()
      line.add("time_s", .number(frame.time))
      line.add("f0_hz", frequency.map { .number($0) } ?? .null)
      line.add("confidence", .number(frame.confidence))
      line.add("voiced", .bool(frequency != nil))
      line.add("deviation_cents", .number(frame.deviation))
      line.add("inharmonicity", .number(frame.inharmonicity))
      line.add("harmonicity_db", .number(frame.harmonicity))
      line.add("level_db", .number(frame.level))
      return line.text
    }
  }
}
