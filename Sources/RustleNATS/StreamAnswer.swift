#if NATS
internal import Foundation

/// What a stream of JetStream says of a message that was published.
enum StreamAnswer: Hashable {
  /// The stream has the message.
  case stored
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
    if text.starts(with: Self.beginning), Self.hasNumber(text) {
      self = .stored
      return
    }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let fields = try? decoder.decode(Fields.self, from: Data(text)), fields.error != nil || fields.seq != nil
    else {
      self = .refused("expected an acknowledgement, got '\(String(decoding: text.prefix(80), as: UTF8.self))'")
      return
    }
    // JSStreamWrongLastMsgIDErrF.
    self =
      fields.error?.errCode == 10_070
      ? .behindAnother : fields.error.map { .refused($0.description) } ?? .stored
  }

  private static func hasNumber(_ text: [UInt8]) -> Bool {
    text.indices.contains { text[$0] == numberKey[0] && text[$0...].starts(with: numberKey) }
  }
}
#endif
