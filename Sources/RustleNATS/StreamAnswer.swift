#if NATS
internal import Foundation

/// What a stream of JetStream says of a message that was published.
enum StreamAnswer: Hashable {
  /// The message has this number in the stream.
  case stored(UInt64)
  /// The stream's last message is another one than that which it was to follow.
  case behindAnother
  case refused(String)

  private static let beginning = Array("{\"stream\":".utf8)
  private static let numberKey = Array("\"seq\":".utf8)

  init(_ message: borrowing NATSMessage) {
    struct Fields: Decodable {
      struct Fault: Decodable {
        let description: String
        let errCode: Int?
      }
      let error: Fault?
      let seq: UInt64?
    }
    var text: [UInt8] = []
    message.append(to: &text)
    // Of thousands a second, few are read in full: an error comes first.
    if let number = Self.number(in: text) {
      self = .stored(number)
      return
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let fields = try? decoder.decode(Fields.self, from: Data(text)), fields.error != nil || fields.seq != nil
    else {
      self = .refused("expected an acknowledgement, got '\(String(decoding: text.prefix(80), as: UTF8.self))'")
      return
    }
    // JSStreamWrongLastSequenceErrF.
    self =
      fields.error?.errCode == 10_071
      ? .behindAnother : fields.error.map { .refused($0.description) } ?? .stored(fields.seq ?? 0)
  }

  /// The number of `{"stream":"NAME", "seq":NUMBER}`, whatever else is in it; nil for another text.
  private static func number(in text: [UInt8]) -> UInt64? {
    guard text.starts(with: beginning) else { return nil }
    for place in beginning.count..<text.count
    where text[place] == numberKey[0] && text[place...].starts(with: numberKey) {
      return UInt64(
        digits: text[(place + numberKey.count)...].drop { $0 == UInt8(ascii: " ") }.prefix { $0 > 47 && $0 < 58 })
    }
    return nil
  }
}
#endif
