package import Foundation

/// Plays patterns and inputs through a sender that is started.
package struct DMXShow: Sendable {
  private let sender: DMXSender
  private let universes: [UInt32]
  private let slots: Int
  private let rate: Double
  private let length: Duration?

  /// - Parameters:
  ///   - universes: the universes of patterns.
  ///   - slots: the slots of each.
  ///   - rate: frames a second.
  ///   - length: the length of a pattern, or of the time after an input's end; nil: without an end, at once.
  package init(_ sender: DMXSender, universes: [DMXUniverse], slots: Int, rate: Double, length: Duration?) {
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
      let next = Duration.seconds(Double(frame) / rate)
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
  package func play(_ form: DMXLines.Form, read: @escaping @Sendable () throws -> Data) async throws {
    var lines = DMXLines(form, of: sender.configuration.protocol)
    let isPaced = form != .ndjson
    let start = ContinuousClock.now
    var frame = 0.0
    while true {
      // Reading blocks a thread of its own, so that signals end the command meanwhile.
      let bytes = try await Self.onThread(read)
      for levels in bytes.isEmpty ? try lines.end() : try lines.frames(after: bytes) {
        if isPaced { try await Task.sleep(until: start + .seconds(frame / rate), tolerance: .zero) }
        try await sender.set(levels)
        frame += 1
      }
      if bytes.isEmpty { break }
    }
    try await Task.sleep(for: length ?? .zero)
  }

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
