#if NATS
/// The place of a message of a stream.
struct StreamPlace: Hashable {
  /// Its number in the stream.
  let stream: UInt64
  /// Its number among the messages that the consumer has sent, from 1.
  let consumer: UInt64

  init(stream: UInt64, consumer: UInt64) { (self.stream, self.consumer) = (stream, consumer) }

  /// Reads the subject of the acknowledgement, `$JS.ACK.STREAM.CONSUMER.SENT.number.number.TIME.PENDING`, in which a domain and an account
  /// may stand before the stream; nil for another one.
  init?(_ subject: some Collection<UInt8>) {
    let words = subject.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard words.count >= 9, words[0].elementsEqual("$JS".utf8), words[1].elementsEqual("ACK".utf8) else { return nil }
    let first = words.count == 9 ? 5 : 7
    guard words.count > first + 1, let stream = UInt64(digits: words[first]),
      let consumer = UInt64(digits: words[first + 1])
    else { return nil }
    self.init(stream: stream, consumer: consumer)
  }
}

/// A message of a consumer about itself: a heartbeat, or one of its flow control.
struct ConsumerReport: Hashable {
  /// The number of messages that it has sent.
  let sent: UInt64?
  /// The subject that an empty message goes to, once what came before is read.
  let answer: String?
}

/// The order of a stream's messages, as consumers send them one after the other.
struct StreamOrder: Hashable {
  /// The number of the last message in the stream; 0 before the first.
  private(set) var last: UInt64 = 0
  /// The messages that the consumer has sent.
  private var sent: UInt64 = 0

  /// A new consumer begins after the last message.
  mutating func begin() { sent = 0 }

  /// Whether a message is the next one; otherwise one is missing, and a new consumer has to begin.
  mutating func take(_ place: StreamPlace) -> Bool {
    guard place.consumer == sent + 1 else { return false }
    (sent, last) = (place.consumer, place.stream)
    return true
  }

  /// Whether everything that was sent has come.
  func agrees(with report: ConsumerReport) -> Bool { report.sent.map { $0 == sent } ?? true }
}

extension UInt64 {
  /// Reads decimal digits; nil for another text.
  init?(digits: some Collection<UInt8>) {
    guard !digits.isEmpty else { return nil }
    var number: UInt64 = 0
    for byte in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      if overflow || carry { return nil }
      number = sum
    }
    self = number
  }
}
#endif
