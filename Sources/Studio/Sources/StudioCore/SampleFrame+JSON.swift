internal import Foundation

extension SampleFrame {
  /// The value as JSON, for programs that read events: named numbers; of the spectrum, the lights and the camera the bytes in base64.
  public var json: JSON {
    var reader = PayloadReader(payload)
    var value: [String: JSON] = ["topic": .string(topic.name), "sequence": .integer(sequence), "time": .integer(time)]
    switch topic {
    case .prices:
      value["prices"] = reader.rows { reader in
        let name = reader.shortText()
        let (price, change) = (reader.number(), reader.number())
        let (time, received) = (reader.integer(Int64.self) ?? 0, reader.integer(UInt64.self) ?? 0)
        return [
          "symbol": .string(name), "price": price, "change": change, "time": .integer(time),
          "received": .integer(received), "text": .string(reader.shortText()),
        ]
      }
      value["lag"] = reader.number()
      value["missed"] = .integer(reader.integer(UInt64.self) ?? 0)
    case .candles:
      value["candles"] = reader.rows { reader in
        var candle: [String: JSON] = ["symbol": .string(reader.shortText())]
        candle["start"] = .integer(reader.integer(Int64.self) ?? 0)
        for name in ["open", "high", "low", "close", "volume"] { candle[name] = reader.number() }
        candle["trades"] = .integer(reader.integer(UInt64.self) ?? 0)
        return .object(candle)
      }
    case .meter:
      for name in ["level", "equivalent", "minimum", "maximum", "loudness", "peak", "display"] {
        value[name] = reader.number()
      }
      value["zone"] = .integer(reader.integer(UInt8.self) ?? 0)
      value["calibrated"] = .bool(reader.integer(UInt8.self) == 1)
    case .pitch:
      for name in ["frequency", "confidence", "cents", "level", "target"] { value[name] = reader.number() }
      value["midi"] = .integer(reader.integer(Int16.self) ?? -1)
      for name in ["held", "inTune"] { value[name] = .bool(reader.integer(UInt8.self) == 1) }
      value["string"] = .integer(reader.integer(UInt8.self) ?? 255)
      value["polyphonic"] = .bool(reader.integer(UInt8.self) == 1)
      value["note"] = .string(reader.text(length: .max))
    case .tempo:
      for name in ["beats", "bpm", "quantum"] { value[name] = reader.number() }
      value["peers"] = .integer(reader.integer(UInt32.self) ?? 0)
      value["playing"] = .bool(reader.integer(UInt8.self) == 1)
    case .voice:
      for name in ["pitch", "f1", "f2", "f3", "harmonicsToNoise", "level", "confidence"] {
        value[name] = reader.number()
      }
    case .levels:
      for name in ["left", "right", "leftAfter", "rightAfter"] { value[name] = reader.shortNumber() }
    case .recording:
      value["seconds"] = reader.number()
      for name in ["left", "right"] { value[name] = reader.shortNumber() }
    case .spectrum, .lights, .camera: value["bytes"] = .string(Data(payload).base64EncodedString())
    }
    return .object(value)
  }
}

/// The parts of a payload, one after the other. Past its end numbers are null.
private struct PayloadReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    defer { offset += Integer.bitWidth / 8 }
    return bytes.integer(at: offset)
  }

  mutating func number() -> JSON { integer(UInt64.self).map { .number(Double(bitPattern: $0)) } ?? .null }

  mutating func shortNumber() -> JSON { integer(UInt32.self).map { .number(Double(Float(bitPattern: $0))) } ?? .null }

  /// A text after its length in one byte.
  mutating func shortText() -> String { text(length: Int(integer(UInt8.self) ?? 0)) }

  /// What follows its count.
  mutating func rows(_ row: (inout Self) -> JSON) -> JSON {
    let count = integer(UInt16.self) ?? 0
    return .array((0..<count).map { _ in row(&self) })
  }

  mutating func text(length: Int) -> String {
    let end = min(bytes.count, length > bytes.count ? bytes.count : offset + length)
    defer { offset = max(offset, end) }
    return offset < end ? String(decoding: bytes[offset..<end], as: UTF8.self) : ""
  }
}
