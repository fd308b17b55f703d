public import Foundation

/// Frames as bytes of a file or a pipe: lines of NDJSON, `{"universe":1,"dmx":[255,0]}` with further fields or without, or raw slots.
///
/// The lines of a receiver are such lines: those without levels, of another `kind` or with a `gap`, are left out, and those with
/// another `protocol` are counted.
public struct DMXLines: Sendable {
  /// The format of the bytes.
  public enum Format: Sendable, Hashable {
    /// A universe per line.
    case ndjson
    /// The slots of all universes, one universe after the other, frame by frame.
    case raw(universes: [DMXUniverse], slots: Int)
  }

  private let format: Format
  private let `protocol`: DMXProtocol
  private var rest = Data()
  private var line = 0
  /// The lines with levels of the other protocol, which were left out.
  public private(set) var otherLines = 0

  /// The longest line.
  static let maximumLineLength = 16_384

  /// - Parameters:
  ///   - format: the format of the bytes.
  ///   - protocol: the protocol of the universes' numbers.
  public init(_ format: Format, of protocol: DMXProtocol) {
    self.format = format
    self.protocol = `protocol`
  }

  /// Reads the next bytes: the frames that they complete. Of lines, each is a frame of its universe.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` that names the line.
  public mutating func frames(after bytes: Data) throws(LightingError) -> [[DMXUniverse: DMXLevels]] {
    try timedFrames(after: bytes).map(\.levels)
  }

  /// A frame, and its time in milliseconds since a start; nil: none is given.
  package typealias TimedFrame = (time: Double?, levels: [DMXUniverse: DMXLevels])

  /// As ``frames(after:)``, with the field `t_ms` of lines.
  package mutating func timedFrames(after bytes: Data) throws(LightingError) -> [TimedFrame] {
    rest.append(bytes)
    var frames: [TimedFrame] = []
    switch format {
    case .ndjson:
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let text = rest[..<end]
        rest = Data(rest[(end + 1)...])
        if let frame = try frame(of: text) { frames.append(frame) }
      }
      if rest.count > Self.maximumLineLength { throw malformed("at most \(Self.maximumLineLength) bytes in a line") }
    case .raw(let universes, let slots):
      let length = universes.count * slots
      while rest.count >= length {
        var frame: [DMXUniverse: DMXLevels] = [:]
        for (place, universe) in universes.enumerated() {
          let first = rest.startIndex + place * slots
          frame[universe] = try DMXLevels([UInt8](rest[first..<first + slots]))
        }
        rest = Data(rest.dropFirst(length))
        frames.append((nil, frame))
      }
    }
    return frames
  }

  /// Reads a last line without its end.
  ///
  /// - Throws: as ``frames(after:)``, and for a raw frame that is not whole.
  public mutating func end() throws(LightingError) -> [[DMXUniverse: DMXLevels]] { try timedEnd().map(\.levels) }

  /// As ``end()``, with the field `t_ms`.
  package mutating func timedEnd() throws(LightingError) -> [TimedFrame] {
    if rest.isEmpty { return [] }
    guard format == .ndjson else { throw malformed("whole frames") }
    return try timedFrames(after: Data([UInt8(ascii: "\n")]))
  }

  private struct Line: Decodable {
    let universe: Int?
    let dmx: [UInt8]?
    let t_ms: Double?
    let `protocol`: String?
    let kind: String?
    let gap: UInt64?
  }

  private mutating func frame(of text: Data) throws(LightingError) -> TimedFrame? {
    line += 1
    if text.allSatisfy({ $0 == 32 || $0 == 9 || $0 == 13 }) { return nil }
    let read = try? JSONDecoder().decode(Line.self, from: text)
    if let read, read.kind != nil || read.gap != nil { return nil }
    guard let read, let number = read.universe, let dmx = read.dmx else {
      throw malformed("\"universe\" and \"dmx\" with levels of 0 to 255")
    }
    if let named = read.protocol, named != self.protocol.rawValue {
      otherLines += 1
      return nil
    }
    do {
      return (read.t_ms, [try DMXUniverse(number, of: self.protocol): try DMXLevels(dmx)])
    } catch {
      throw LightingError(.malformedInput, "line \(line): \(error.message)", advice: error.advice)
    }
  }

  private func malformed(_ expected: String) -> LightingError {
    let place = format == .ndjson ? "line \(max(1, line))" : "input"
    return LightingError(
      .malformedInput, "\(place): expected \(expected), got something else",
      advice: "Pass lines such as {\"universe\":1,\"dmx\":[255,0]}, or all slots of all universes.")
  }
}
