package import Foundation

/// Plays patterns and inputs through a sender that is started.
package struct DMXShow: Sendable {
  private let sender: DMXSender
  private let universes: [UInt32]
  private let slots: Int
  private let rate: Double
  private let length: Duration?

  /// The longest time in milliseconds, 30 years: what is waited for is counted in nanoseconds.
  private static let maximumTime = 1e12

  /// - Parameters:
  ///   - universes: the universes of patterns.
  ///   - slots: the slots of each.
  ///   - rate: frames per second.
  ///   - length: the length of a pattern, or of the time after an input's end; nil: without an end, at once.
  package init(
    _ sender: DMXSender, universes: [DMXUniverse] = [], slots: Int = 0, rate: Double, length: Duration? = nil
  ) {
    self.sender = sender
    self.universes = universes.map { UInt32($0.number) }
    (self.slots, self.rate, self.length) = (slots, rate, length)
  }

  /// Plays a pattern, from its first frame.
  package func play(_ pattern: DMXPattern, seed: UInt64) async throws {
    let start = ContinuousClock.now
    var levels: [UInt8] = []
    var frame: UInt64 = 0
    while true {
      pattern.write(frame: frame, universes: universes.count, slots: slots, seed: seed, to: &levels)
      try await set(levels)
      // Frames whose time is over are left out.
      let elapsed = start.duration(to: .now)
      frame = max(frame + 1, UInt64(elapsed / .seconds(1) * rate))
      let next = time(Double(frame))
      if let length, next >= length {
        try await Task.sleep(until: start + length, tolerance: .zero)
        return
      }
      try await Task.sleep(until: start + next, tolerance: .zero)
    }
  }

  /// Plays an input to its end: lines as they come, raw frames at the rate.
  ///
  /// - Parameter read: returns the next bytes, none at the end. It may block, and is not called again after an error.
  /// - Returns: the lines of the other protocol, which were left out.
  package func play(_ format: DMXLines.Format, read: @escaping @Sendable () throws -> Data) async throws -> Int {
    let start = ContinuousClock.now
    var frame = 0.0
    let others = try await frames(of: format, read) { timed in
      if format != .ndjson, frame > 0 { try await Task.sleep(until: start + time(frame), tolerance: .zero) }
      try await sender.set(timed.levels)
      frame += 1
    }
    try await Task.sleep(for: length ?? .zero)
    return others
  }

  /// Plays recorded lines once, at their times. Those of one time are one frame; where the times begin anew, they go on from the last.
  ///
  /// - Parameters:
  ///   - start: the time of the first line.
  ///   - speed: the recorded time per real time.
  ///   - read: as for an input.
  /// - Returns: the time after the last frame, which is shown for 1/44 s; the number of frames, and of lines left out.
  package func playRecording(
    from start: ContinuousClock.Instant, speed: Double, read: @escaping @Sendable () throws -> Data
  ) async throws -> (end: ContinuousClock.Instant, frames: Int, others: Int) {
    var (frame, elapsed, last): ([DMXUniverse: DMXLevels], Double, Double?) = ([:], 0, nil)
    var count = 0
    func due() -> ContinuousClock.Instant { start + .milliseconds(min(elapsed / speed, Self.maximumTime)) }
    func show() async throws {
      if frame.isEmpty { return }
      try await Task.sleep(until: due(), tolerance: .zero)
      try await sender.set(frame)
      (frame, count) = ([:], count + 1)
    }
    let others = try await frames(of: .ndjson, read) { timed in
      guard let time = timed.time, abs(time) <= Self.maximumTime else {
        let got = timed.time.map { "t_ms \($0)" } ?? "one without"
        throw LightingError(
          .malformedInput, "expected lines with t_ms of at most 1e12, got \(got)",
          advice: "Play lines that a receiver wrote; others can be sent as they come.")
      }
      let isSame =
        time == last
        && timed.levels.allSatisfy { universe, levels in
          frame[universe] == nil && frame.first.map { $0.value.bytes.count == levels.bytes.count } != false
        }
      if !isSame { try await show() }
      elapsed += max(0, time - (last ?? time))
      last = time
      frame.merge(timed.levels) { $1 }
    }
    try await show()
    return (due() + .seconds(1) / 44, count, others)
  }

  /// Calls `take` with each frame of an input; returns the lines of the other protocol.
  private func frames(
    of format: DMXLines.Format, _ read: @escaping @Sendable () throws -> Data,
    _ take: (DMXLines.TimedFrame) async throws -> Void
  ) async throws -> Int {
    var lines = DMXLines(format, of: sender.configuration.protocol)
    while true {
      // Reading blocks a thread of its own, so that signals end the command meanwhile.
      let bytes = try await Self.onThread(read)
      for frame in bytes.isEmpty ? try lines.timedEnd() : try lines.timedFrames(after: bytes) { try await take(frame) }
      if bytes.isEmpty { return lines.otherLines }
    }
  }

  /// The time of a frame after the first, from the start: between two frames of the sender, whose clock began with the start. On its
  /// frames, a wake that is late by less than a millisecond would leave one out and repeat another.
  private func time(_ frame: Double) -> Duration { .seconds((frame + 0.5) / rate) }

  private func set(_ levels: [UInt8]) async throws { try await sender.set(levels, in: universes) }

  private static func onThread(_ read: @escaping @Sendable () throws -> Data) async throws -> Data {
    let (results, continuation) = AsyncStream.makeStream(of: Result<Data, any Error>.self)
    Thread.detachNewThread {
      continuation.yield(Result { try read() })
      continuation.finish()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
  }
}
