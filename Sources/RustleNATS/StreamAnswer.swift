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
    var text: [UInt8] = []
    message.append(to: &text)
    self.init(text)
  }

  init(_ text: [UInt8]) {
    struct Fields: Decodable {
      struct Fault: Decodable {
        let description: String
        let errCode: Int?
      }
      let error: Fault?
      let seq: UInt64?
    }
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
    switch fields.error {
    // JSStreamWrongLastMsgIDErrF.
    case let error? where error.errCode == 10_070: self = .behindAnother
    case let error?: self = .refused(error.description)
    // Servers of a cluster keep the identifier of a message that they refuse, and take the next try for a duplicate.
    case nil where fields.seq == 0: self = .refused("the stream has refused a message with this identifier")
    case nil: self = .stored
    }
  }

  /// Whether it has a number that is not 0.
  private static func hasNumber(_ text: [UInt8]) -> Bool {
    guard let place = text.indices.first(where: { text[$0] == numberKey[0] && text[$0...].starts(with: numberKey) })
    else { return false }
    let digit = text[(place + numberKey.count)...].first { $0 != UInt8(ascii: " ") }
    return digit.map { $0 > UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ?? false
  }
}
#endif
