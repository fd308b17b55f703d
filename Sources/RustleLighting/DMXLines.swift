public import Foundation

/// Frames as bytes of a file or a pipe: lines of NDJSON, `{"universe":1,"dmx":[255,0]}` with further fields or without, or raw slots.
public struct DMXLines: Sendable {
  /// The form of the bytes.
  public enum Form: Sendable, Hashable {
    /// A universe per line.
    case ndjson
    /// The slots of all universes, one universe after the other, frame by frame.
    case raw(universes: [DMXUniverse], slots: Int)
  }

  private let form: Form
  private let `protocol`: DMXProtocol
  private var rest = Data()
  private var line = 0

  /// The longest line.
  static let maximumLineLength = 16_384

  /// - Parameters:
  ///   - form: the form of the bytes.
  ///   - protocol: the protocol of the universes' numbers.
  public init(_ form: Form, of protocol: DMXProtocol) {
    self.form = form
    self.protocol = `protocol`
  }

  /// Reads the next bytes: the frames that they complete. Of lines, each is a frame of its universe.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/malformedInput`` that names the line.
  public mutating func frames(after bytes: Data) throws(LightingError) -> [[DMXUniverse: DMXLevels]] {
    rest.append(bytes)
    var frames: [[DMXUniverse: DMXLevels]] = []
    switch form {
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
        frames.append(frame)
      }
    }
    return frames
  }

  /// Reads a last line without its end.
  ///
  /// - Throws: as ``frames(after:)``, and for a raw frame that is not whole.
  public mutating func end() throws(LightingError) -> [[DMXUniverse: DMXLevels]] {
    if rest.isEmpty { return [] }
    guard form == .ndjson else { throw malformed("whole frames") }
    return try frames(after: Data([UInt8(ascii: "\n")]))
  }

  private struct Line: Decodable {
    let universe: Int
    let dmx: [UInt8]
  }

  private mutating func frame(of text: Data) throws(LightingError) -> [DMXUniverse: DMXLevels]? {
    line += 1
    if text.allSatisfy({ $0 == 32 || $0 == 9 || $0 == 13 }) { return nil }
    guard let read = try? JSONDecoder().decode(Line.self, from: text) else {
      throw malformed("\"universe\" and \"dmx\" with levels of 0 to 255")
    }
    do {
      return [try DMXUniverse(read.universe, of: self.protocol): try DMXLevels(read.dmx)]
    } catch {
      throw LightingError(.malformedInput, "line \(line): \(error.message)", advice: error.advice)
    }
  }

  private func malformed(_ expected: String) -> LightingError {
    let place = form == .ndjson ? "line \(max(1, line))" : "input"
    return LightingError(
      .malformedInput, "\(place): expected \(expected), got others",
      advice: "Give lines such as {\"universe\":1,\"dmx\":[255,0]}, or all slots of all universes.")
  }
}
