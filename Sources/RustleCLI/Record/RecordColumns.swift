import Foundation
import RustleAudio
import RustleAudioFiles

extension RecordCommand {
  static func progressTable(_ format: OutputFormat, _ profile: TerminalProfile) -> Table<RecorderProgress> {
    let columns: [Column<RecorderProgress>] = [
      Column("duration_s") { $0.duration / .seconds(1) },
      Column("frames", \.frames),
      Column("paused", \.isPaused),
      Column("peak_dbfs") { $0.levels.map(\.peak) },
      Column("power_dbfs") { $0.levels.map(\.power) },
      Column("dropped_frames", \.droppedFrames),
      Column("overruns", \.overruns),
      Column("clipped_samples", \.clippedSamples),
    ]
    return Table(columns, kind: "progress", format: format, profile: profile) { progress in
      let levels = progress.levels.map { decibels($0.peak) }.joined(separator: " ")
      let state = progress.isPaused ? "paused" : "recording"
      return "\(time(progress.duration)) \(state), peak \(levels) dBFS"
        + troubles(progress.droppedFrames, progress.overruns, progress.clippedSamples) + "\n"
    }
  }

  static func summaryTable(_ format: OutputFormat, _ profile: TerminalProfile) -> Table<Recording> {
    let columns: [Column<Recording>] = [
      Column("path", \.path),
      Column("sample_rate_hz", \.format.sampleRate),
      Column("channels", \.format.channels),
      Column("duration_s") { $0.duration / .seconds(1) },
      Column("frames", \.frames),
      Column("dropped_frames", \.droppedFrames),
      Column("overruns", \.overruns),
      Column("clipped_samples", \.clippedSamples),
    ]
    return Table(columns, kind: "summary", format: format, profile: profile) { recording in
      "recorded \(time(recording.duration)) to \(recording.path)"
        + troubles(recording.droppedFrames, recording.overruns, recording.clippedSamples) + "\n"
    }
  }

  /// The losses of a recording; empty without any.
  static func troubles(_ dropped: Int64, _ overruns: Int, _ clipped: Int) -> String {
    let parts = [
      dropped > 0 ? "\(dropped) frames dropped" : nil, overruns > 0 ? "\(overruns) overruns" : nil,
      clipped > 0 ? "\(clipped) samples clipped" : nil,
    ]
    return parts.compactMap { $0.map { ", \($0)" } }.joined()
  }

  /// A level in six columns.
  static func decibels(_ level: Double) -> String { level.isFinite ? String(format: "%6.1f", level) : "  -inf" }

  static func time(_ duration: Duration) -> String { Numbers.time(duration / .seconds(1), rounded: .down) }
}
