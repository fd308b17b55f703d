public import Foundation
internal import RustleCore

/// Finds the fixtures of a rig with a camera: it lights them in patterns, and the frames show which is where.
///
/// ```swift
/// let mapper = CameraMapper()
/// for try await update in try await mapper.map(rig, frames: camera, output: CameraMapper.sending(to: [sender])) {
///   print(update.phase, update.part, update.map?.found.count ?? 0)
/// }
/// ```
///
/// A mapping never fails because a fixture stays dark: each has a place or a reason. Whichever way it ends, the levels to restore are the
/// last that the output gets.
public actor CameraMapper {
  /// What a mapping does.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// All fixtures without a place are lit and dark in turns, to find out how late the frames are.
    case delay
    /// The schedule runs.
    case schedule
    /// What was not found is lit once more.
    case again
    /// It is over.
    case done
  }

  /// How far a mapping is.
  public struct Update: Sendable, Hashable {
    /// What it does.
    public let phase: Phase
    /// The part of the phase that is over, 0 to 1.
    public let part: Double
    /// The frames so far.
    public let frames: UInt64
    /// The frames that were lost between those, by their times.
    public let droppedFrames: UInt64
    /// How late frames are, in frames; nil before it is known, and where no light was seen.
    public let delay: Double?
    /// By how much the delay varies, in frames.
    public let delaySpread: Double
    /// What was found, with the beginning of each phase and at the end; nil between.
    public let map: FixtureMap?
  }

  /// Levels of all slots by universe.
  public typealias Levels = [DMXUniverse: DMXLevels]
  /// What takes the levels to light.
  public typealias Output = @Sendable (Levels) async throws -> Void

  /// How fixtures are mapped.
  public nonisolated let settings: MappingSettings
  private var running: Task<Void, Never>?
  private var last: NativeMapper?

  /// Creates a mapper.
  public init(_ settings: MappingSettings = MappingSettings()) { self.settings = settings }

  /// An output to started senders: each gets the universes of its protocol.
  public static func sending(to senders: [DMXSender]) -> Output {
    { levels in
      for sender in senders {
        let own = levels.filter { $0.key.protocol == sender.configuration.protocol }
        try await sender.set(own)
      }
    }
  }

  /// Maps a rig; a mapping that runs is cancelled first.
  ///
  /// - Parameters:
  ///   - rig: the file of the rig. Ids are those of its cells, fixture by fixture.
  ///   - frames: the bytes of frames as they come, of the settings' format.
  ///   - restored: the levels before, which the output gets at the end, with all 512 slots; meanwhile slots that are no light of the rig's
  ///     fixtures stay at them, as pan and tilt. Universes of the rig that are not among them, or all for nil, end with their fixtures
  ///     dark and all else at its default.
  ///   - output: takes the levels to light.
  /// - Returns: the updates, for one consumer. Ending them ends the mapping.
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` or ``LightingError/Code/validation``. The stream throws what
  ///   the frames and the output throw, and ``LightingError`` for bytes that are no frames; for frames that end while what was not found
  ///   is lit once more, after an update with what is known.
  public func map<Frames: AsyncSequence & Sendable>(
    _ rig: Data, frames: Frames, restoring restored: Levels? = nil, output: @escaping Output
  ) async throws(LightingError) -> AsyncThrowingStream<Update, any Error> where Frames.Element == Data {
    // Another call may begin one while this one waits.
    while running != nil { await cancel() }
    let mapper = try settings.mapper(rig: rig, count: 0, isLive: true)
    for (universe, levels) in restored ?? [:] {
      let number = universe.number + (universe.protocol == .artNet ? Int(nativeShowArtNet) : 0)
      try LightingError.rethrowing { () throws(NativeError) in
        try mapper.keep(universe: number, slots: levels.bytes.span)
      }
    }
    let (stream, updates) = AsyncThrowingStream.makeStream(of: Update.self)
    let task = Task.detached {
      do {
        try await Self.run(mapper, frames, updates, output)
      } catch {
        // The output is asked to restore, whatever failed before; in a task of its own, as this one may be cancelled.
        try? await Task { try await Self.restore(restored, mapper, output) }.value
        updates.finish(throwing: error is CancellationError ? nil : error)
        return
      }
      do {
        try await Task { try await Self.restore(restored, mapper, output) }.value
        updates.finish()
      } catch {
        updates.finish(throwing: error)
      }
    }
    updates.onTermination = { _ in task.cancel() }
    (running, last) = (task, mapper)
    return stream
  }

  /// Outputs the levels before, with all slots: those of one frame are equally long. Fixtures of universes that had none are dark.
  private static func restore(_ restored: Levels?, _ mapper: NativeMapper, _ output: Output) async throws {
    try? mapper.reset()
    let dark = try? levels(of: mapper)
    let full = try (restored ?? [:]).mapValues { levels in
      try DMXLevels(levels.bytes + [UInt8](repeating: 0, count: 512 - levels.bytes.count))
    }
    try await output((dark ?? [:]).merging(full) { $1 })
  }

  /// Ends the mapping and returns when its output was restored.
  public func cancel() async {
    guard let task = running else { return }
    task.cancel()
    await task.value
    // Another call may have begun a mapping meanwhile.
    if running == task { running = nil }
  }

  /// Applies corrections to the picture of the last mapping, whose end is awaited, as ``FixtureMap/corrected(by:)`` does to its map.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput``.
  public func correct(by corrections: Data) async throws(LightingError) {
    let native = try await ended()
    try native.correct(by: corrections)
  }

  /// Returns what the camera saw in the last mapping, whose end is awaited, as a PNG with the marks of ``RecordedMapping/picture()``.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` where no frame came, and
  ///   ``LightingError/Code/wrongState`` before a mapping.
  public func picture() async throws(LightingError) -> Data { try await ended().picture() }

  /// The last mapping, when it has ended.
  private func ended() async throws(LightingError) -> NativeMapper {
    await running?.value
    guard let last else {
      throw LightingError(.wrongState, "expected a mapping that has ended, got none", advice: "Call map() first.")
    }
    return last
  }

  private static func run<Frames: AsyncSequence & Sendable>(
    _ mapper: NativeMapper, _ frames: Frames, _ updates: AsyncThrowingStream<Update, any Error>.Continuation,
    _ output: Output
  ) async throws where Frames.Element == Data {
    let start = ContinuousClock.now
    var lit = try levels(of: mapper)
    var phase = Phase.delay
    try await output(lit)
    for try await bytes in frames {
      try Task.checkCancellation()
      let time = UInt64(clamping: (ContinuousClock.now - start).nanoseconds)
      let progress = try LightingError.rethrowing(advice: MappingSettings.formats) { () throws(NativeError) in
        try mapper.push(Array(bytes).span, time: time)
        return try mapper.progress()
      }
      let next = try levels(of: mapper)
      if next != lit {
        lit = next
        try await output(lit)
      }
      let update = try Update(progress, of: mapper, after: phase)
      phase = update.phase
      updates.yield(update)
      if phase == .done { return }
    }
    try Task.checkCancellation()
    // The last frame may be cut off.
    var cut: LightingError?
    do throws(LightingError) {
      try LightingError.rethrowing(advice: MappingSettings.formats) { () throws(NativeError) in
        try mapper.push([UInt8]().span, time: .max)
      }
    } catch {
      cut = error
    }
    let end = try LightingError.rethrowing { () throws(NativeError) in try mapper.progress() }
    let update = try Update(end, of: mapper, after: phase)
    if phase == .again { updates.yield(update) }
    throw cut
      ?? LightingError(
        .malformedInput, "frames: expected frames until the mapping is done, got \(end.frames) frames",
        advice: "Keep the camera running until the command ends.")
  }

  private static func levels(of mapper: NativeMapper) throws(LightingError) -> Levels {
    let (universes, slots) = try LightingError.rethrowing { () throws(NativeError) in try mapper.levels() }
    var levels: Levels = [:]
    for (index, number) in universes.enumerated() {
      let isArtNet = number >= nativeShowArtNet
      let universe = try DMXUniverse(
        Int(isArtNet ? number - nativeShowArtNet : number), of: isArtNet ? .artNet : .sacn)
      levels[universe] = try DMXLevels(Array(slots[index * 512..<(index + 1) * 512]))
    }
    return levels
  }
}

extension CameraMapper.Update {
  init(
    _ native: NativeMapperDescription, of mapper: NativeMapper, after phase: CameraMapper.Phase
  ) throws(LightingError) {
    self.phase =
      switch native.phase {
      case .delay: .delay
      case .schedule: .schedule
      case .again: .again
      default: .done
      }
    (part, frames, droppedFrames) = (native.part, native.frames, native.dropped)
    (delay, delaySpread) = (native.delay < 0 ? nil : native.delay, native.spread)
    map = self.phase == phase ? nil : try FixtureMap(of: mapper)
  }
}

extension FixtureMap {
  init(of mapper: NativeMapper) throws(LightingError) {
    try self.init(
      written: LightingError.rethrowing { () throws(NativeError) in Data(try mapper.file(.result)) })
  }
}
