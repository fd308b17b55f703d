internal import ArgumentParser
import Foundation
import RustleAudio
import RustleAudioFiles
import RustleLighting
import RustleTempo

/// The sound that a show hears.
struct ShowSoundOptions: ParsableArguments {
  @Option(
    parsing: .next,
    "Follow the sound of this device, as listed by 'rustle devices'. (default with --tempo audio: default)",
    value: "name", completion: .devices)
  var device: String?

  @Option(
    parsing: .next, "Follow the sound of this file, or of standard input for -, at its own pace.", value: "file",
    completion: .file())
  var sound: String?

  func validate() throws {
    if device != nil && sound != nil { throw ValidationError("--device cannot be used with --sound") }
    if device == "" || sound == "" {
      throw ValidationError(
        "\(device == "" ? "--device: expected the name of a device" : "--sound: expected a file"), got ''")
    }
  }

  /// Opens the sound; nil: none is asked for.
  func open(isNeeded: Bool) async throws -> OpenedInput? {
    if let sound {
      try RawInputOptions.checkStandardInput(sound, option: "--sound", example: "rustle light run --sound -")
      return try await AudioFileInput(path: sound).open()
    }
    guard let name = device ?? (isNeeded ? AudioDevice.defaultName : nil) else { return nil }
    let format = try AudioFormat(sampleRate: Double(SoundDeviceOptions.defaultRate), channels: 2)
    return try await .device(DeviceConfiguration(device: name, format: format))
  }
}

extension OpenedInput {
  /// The level in decibels of full scale at which modulators are 0.
  private static let quiet = -48.0
  /// The strength of an onset, that of a drum, at which modulators are 1.
  private static let drum = 3.0

  /// Gives a show its onsets and levels, and a clock its beats, at their time, to the end of the sound.
  func drive(_ controller: LightingController, clock: TempoClock?) async throws {
    try checkRate(in: 8_000...768_000, "8000 to 768000")
    var tracker = try RhythmTracker(sampleRate: format.sampleRate)
    var frames: [RhythmFrame] = []
    let step = max(1, Int(format.sampleRate / 50))
    // The tracker's first sample: its host time, and its position in the sound.
    var (start, first, next) = (HostTime.now, Int64(0), Int64(0))
    for try await buffer in buffers() {
      if buffer.position != next {
        // A device dropped frames.
        tracker.reset()
        (start, first) = (.now, buffer.position)
      }
      let block = buffer.mono(channel: .all)
      next = buffer.position + Int64(block.count)
      for lower in stride(from: 0, to: block.count, by: step) {
        let upper = min(lower + step, block.count)
        let end = Double(buffer.position - first + Int64(upper)) / format.sampleRate
        if isLive {
          // A block comes late, never early: the earliest start is right, with 100 ppm for a clock that differs.
          start = min(start + .microseconds(2), HostTime.now + .seconds(-end))
        } else {
          try await Task.sleep(for: HostTime.now.duration(to: start + .seconds(end)))
        }
        frames.removeAll(keepingCapacity: true)
        try tracker.process(block[lower..<upper].span, into: &frames)
        try await hand(frames, from: start, to: controller, clock)
      }
    }
    try checkIsNotEmpty()
  }

  private func hand(
    _ frames: [RhythmFrame], from start: HostTime, to controller: LightingController, _ clock: TempoClock?
  ) async throws {
    for frame in frames {
      if let onset = frame.onset { try await controller.strike(min(1, onset / Self.drum)) }
      guard let clock, let beat = frame.beat, beat.isLastBefore, (20...999).contains(beat.tempo) else { continue }
      try clock.hearBeat(
        at: start + beat.next, tempo: beat.tempo, confidence: beat.confidence, phaseError: beat.phaseError)
    }
    guard let levels = frames.last?.levels else { return }
    let whole = levels.reduce(0) { $0 + $1 * $1 }.squareRoot()
    try await controller.setSound(level: Self.share(whole), bands: levels.map(Self.share))
  }

  /// A root mean square on the scale of modulators.
  private static func share(_ level: Double) -> Double {
    level > 0 ? min(max(1 - 20 * log10(level * 2.0.squareRoot()) / quiet, 0), 1) : 0
  }
}
