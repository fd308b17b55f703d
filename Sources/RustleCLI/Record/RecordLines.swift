import Foundation
import RustleAudio
import RustleAudioFiles

/// How a recording goes, in lines.
struct RecordLines: Sendable {
  let format: OutputFormat

  /// The time in the file from one line to the next: programs want more of them than people.
  var interval: Duration { format == .ndjson ? .milliseconds(100) : .seconds(1) }

  func line(_ progress: RecorderProgress) -> String {
    guard format == .ndjson else { return Self.text(progress) + "\n" }
    var line = JSONLine()
    line.add("kind", .string("progress"))
    line.add("duration_s", .number(progress.duration / .seconds(1)))
    line.add("frames", .integer(progress.frames))
    line.add("paused", .bool(progress.isPaused))
    line.add("peak_dbfs", .array(progress.levels.map { .number($0.peak) }))
    line.add("power_dbfs", .array(progress.levels.map { .number($0.power) }))
    line.add("lost_frames", .integer(progress.lostFrames))
    line.add("overruns", .integer(Int64(progress.overruns)))
    line.add("clipped_samples", .integer(Int64(progress.clippedSamples)))
    return line.text
  }

  func summary(_ recording: Recording) -> String {
    guard format == .ndjson else {
      return "recorded \(Self.time(recording.duration / .seconds(1))) to \(recording.path)\(Self.troubles(recording))\n"
    }
    var line = JSONLine()
    line.add("kind", .string("summary"))
    line.add("path", .string(recording.path))
    line.add("sample_rate_hz", .number(recording.format.sampleRate))
    line.add("channels", .integer(Int64(recording.format.channels)))
    line.add("duration_s", .number(recording.duration / .seconds(1)))
    line.add("frames", .integer(recording.frames))
    line.add("lost_frames", .integer(recording.lostFrames))
    line.add("overruns", .integer(Int64(recording.overruns)))
    line.add("clipped_samples", .integer(Int64(recording.clippedSamples)))
    return line.text
  }

  private static func text(_ progress: RecorderProgress) -> String {
    let levels = progress.levels.map { decibels($0.peak) }.joined(separator: " ")
    let state = progress.isPaused ? "paused" : "recording"
    return "\(time(progress.duration / .seconds(1))) \(state), peak \(levels) dBFS"
      + troubles(progress.lostFrames, progress.overruns, progress.clippedSamples)
  }

  /// What went wrong, if anything.
  static func troubles(_ lost: Int64, _ overruns: Int, _ clipped: Int) -> String {
    let parts = [
      lost > 0 ? "\(lost) frames lost" : nil, overruns > 0 ? "\(overruns) overruns" : nil,
      clipped > 0 ? "\(clipped) samples clipped" : nil,
    ]
    return parts.compactMap { $0.map { ", \($0)" } }.joined()
  }

  private static func troubles(_ recording: Recording) -> String {
    troubles(recording.lostFrames, recording.overruns, recording.clippedSamples)
  }

  /// A level in a column of its own.
  static func decibels(_ level: Double) -> String {
    level.isFinite ? String(format: "%6.1f", level) : "  -inf"
  }

  /// Seconds as a clock shows them: 1:02:03.4.
  static func time(_ seconds: Double) -> String {
    let tenths = Int((seconds * 10).rounded(.down))
    let (hours, minutes) = (tenths / 36_000, tenths / 600 % 60)
    let rest = String(format: "%02d.%d", tenths / 10 % 60, tenths % 10)
    return hours > 0 ? String(format: "%d:%02d:%@", hours, minutes, rest) : "\(minutes):\(rest)"
  }
}
