#if NATS
/// The newest message of each symbol, and when it is sent again: after a second without another one, after two, and so on to a minute.
struct NewestMessages {
  /// The maximum pause in seconds.
  static let maximumPause = 64

  private struct Entry {
    var message: NATSWriter.Message
    var due: Int
    var pause = 1
  }

  /// By their channels.
  private var entries: [Entry?] = []
  private var now = 0

  /// All of them.
  var all: [NATSWriter.Message] { entries.compactMap { $0?.message } }

  /// Those of channels.
  func of(_ channels: some Collection<Int>) -> [NATSWriter.Message] {
    channels.compactMap { $0 < entries.count ? entries[$0]?.message : nil }
  }

  mutating func take(_ message: NATSWriter.Message) {
    while entries.count <= message.channel { entries.append(nil) }
    // Of trades in another order the last one has the highest number.
    if let known = entries[message.channel]?.message, known.number > message.number { return }
    // Between one and two seconds from now.
    entries[message.channel] = Entry(message: message, due: now + 2)
  }

  /// A second has passed: returns the messages that are sent again.
  mutating func step() -> [NATSWriter.Message] {
    now += 1
    var due: [NATSWriter.Message] = []
    for case (let index, let entry?) in entries.enumerated() where entry.due <= now {
      let pause = min(2 * entry.pause, Self.maximumPause)
      due.append(entry.message)
      entries[index] = Entry(message: entry.message, due: now + pause, pause: pause)
    }
    return due
  }
}
#endif
