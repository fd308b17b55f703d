public import Foundation
internal import RustleCore

/// Finds fixtures in the recording of a schedule.
///
/// ```swift
/// let recording = try RecordedMapping(count: 100)
/// try recording.add(recorded)
/// try recording.end()
/// print(try recording.map().found.count)
/// ```
///
/// One call at a time; a second one fails.
public final class RecordedMapping: Sendable {
  private let native: NativeMapper

  /// Creates a mapping that has no frames yet.
  ///
  /// - Parameters:
  ///   - count: the number of fixtures, 1 to 65,536.
  ///   - rig: a rig file; the number of its cells replaces `count`.
  ///   - settings: how fixtures are distinguished.
  /// - Throws: ``LightingError`` with ``LightingError/Code/validation`` or ``LightingError/Code/malformedInput``.
  public init(
    count: Int, rig: Data? = nil, settings: MappingSettings = MappingSettings()
  ) throws(LightingError) {
    native = try settings.mapper(rig: rig, count: count, isLive: false)
  }

  /// Adds the next bytes of the recording.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` for bytes that are no frames, those before which stay, and for
  ///   frames of another size than that of known places.
  public func add(_ bytes: Data) throws(LightingError) {
    if bytes.isEmpty { return }
    try LightingError.rethrowing(advice: MappingSettings.formats) { () throws(NativeError) in
      try native.push(Array(bytes).span, time: 0)
    }
  }

  /// Ends the recording.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` for an end within a frame; those before it stay.
  public func end() throws(LightingError) {
    try LightingError.rethrowing(advice: MappingSettings.formats) { () throws(NativeError) in
      try native.push([UInt8]().span, time: 0)
    }
  }

  /// The frames so far.
  public var frameCount: UInt64 {
    NativeError.logging { () throws(NativeError) in try native.progress().frames } ?? 0
  }

  /// The frames of those that were left out, because they have another size than the first or there is no memory for them.
  public var leftOutFrameCount: UInt64 {
    NativeError.logging { () throws(NativeError) in try native.progress().dropped } ?? 0
  }

  /// Applies corrections to the map and the picture, as ``FixtureMap/corrected(by:)`` does, until further frames come.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput``.
  public func correct(by corrections: Data) throws(LightingError) {
    try native.correct(by: corrections)
  }

  /// Returns where the fixtures are, as far as the frames so far show them.
  public func map() throws(LightingError) -> FixtureMap { try FixtureMap(of: native) }

  /// Returns the picture that the camera saw as a PNG, with a ring at each fixture, a square where it is unsure and a cross at a mirror
  /// image.
  public func picture() throws(LightingError) -> Data { try native.picture() }

  /// Returns the schedule of all fixtures as JSON.
  public func schedule() throws(LightingError) -> Data {
    try LightingError.rethrowing { () throws(NativeError) in Data(try native.file(.schedule)) }
  }
}

extension NativeMapper {
  func correct(by corrections: Data) throws(LightingError) {
    _ = try MappingSettings.text(of: corrections, "corrections")
    try LightingError.rethrowing { () throws(NativeError) in try correct(Array(corrections).span) }
  }

  func picture() throws(LightingError) -> Data {
    try LightingError.rethrowing { () throws(NativeError) in Data(try file(.picture)) }
  }
}
