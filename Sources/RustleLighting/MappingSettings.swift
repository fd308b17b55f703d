public import Foundation
internal import RustleCore

/// How fixtures are mapped with a camera.
public struct MappingSettings: Sendable, Hashable {
  /// How fixtures are distinguished.
  public enum Method: String, Sendable, Hashable, CaseIterable {
    /// By the bits of their ids.
    case coded
    /// By those and by check bits: more frames, fewer losses.
    case checked
    /// One after the other, for a few.
    case sequential

    var native: NativeMappingMethod {
      switch self {
      case .coded: .coded
      case .checked: .checked
      case .sequential: .sequential
      }
    }
  }

  /// How bytes become frames.
  public enum Format: Sendable, Hashable {
    /// YUV4MPEG2, as FFmpeg and GStreamer write it to pipes.
    case y4m
    /// Bytes of gray without a header, row by row.
    case gray(width: Int, height: Int)
    /// Each piece of bytes is a file: PNG, or PGM (P5).
    case images

    /// The native format and the size of frames of gray.
    var native: (format: NativeFrameFormat, width: Int, height: Int) {
      switch self {
      case .y4m: (.y4m, 1, 1)
      case .images: (.images, 1, 1)
      case .gray(let width, let height): (.gray, width, height)
      }
    }
  }

  /// How fixtures are distinguished.
  public var method = Method.coded
  /// The frames that a state is held for, 1 to 1,000.
  public var hold = 2
  /// How bytes become frames.
  public var format = Format.y4m
  /// The schedule, JSON, in place of the method's.
  public var schedule: Data?
  /// The JSON of an earlier map of the same fixtures in frames of the same size, corrected or not: its places stay, and only the other
  /// fixtures get places, and are lit.
  public var known: Data?
  /// Whether what was not found is lit once more.
  public var lightsAgain = true

  /// The defaults: bits of ids, two frames a state, YUV4MPEG2.
  public init() {}

  func mapper(rig: Data?, count: Int, isLive: Bool) throws(LightingError) -> NativeMapper {
    let (rig, schedule) = (try Self.text(of: rig, "rig"), try Self.text(of: schedule, "schedule"))
    let known = try Self.text(of: known, "known")
    let (format, width, height) = format.native
    return try LightingError.rethrowing { () throws(NativeError) in
      try NativeMapper(
        NativeMapperConfiguration(
          rig: rig, schedule: schedule, known: known, count: count, hold: hold, width: width, height: height,
          method: method.native, format: format, isLive: isLive, lightsAgain: lightsAgain))
    }
  }

  /// The advice where bytes are no frames.
  static let formats =
    "Give frames as YUV4MPEG2, PNG or PGM files, or bytes of gray with their size: ffmpeg -f yuv4mpegpipe writes the first."

  static func text(of file: Data?, _ what: String) throws(LightingError) -> String {
    guard let file else { return "" }
    guard let text = String(data: file, encoding: .utf8), !text.isEmpty else {
      throw LightingError(
        .malformedInput, "\(what): expected JSON in UTF-8, got \(file.isEmpty ? "nothing" : "other bytes")",
        advice: "Give a file of JSON.")
    }
    return text
  }
}
