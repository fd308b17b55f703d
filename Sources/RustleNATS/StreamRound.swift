#if NATS
/// What became of messages that were sent to a stream together, those of each symbol one behind the other.
struct StreamRound {
  /// How long an acknowledgement is waited for.
  static let limit = Duration.seconds(2)
  /// How long those of symbols of which the last message was not stored are waited for behind the others, and without others.
  private static let hopelessLimits = (behind: Duration.milliseconds(50), alone: Duration.milliseconds(250))

  /// The messages that are sent, by their places among all.
  let places: [Int]
  /// The symbol of each.
  private let channels: [Int]
  private var isAnswered: [Bool]
  private var isStored: [Bool]
  /// What was refused, or why nothing was answered; nil: nobody has said.
  var reason: String?
  /// Whether the server is there and has the stream: what is not stored is a matter of its symbol.
  var isHeard = false
  /// Whether the server had no stream for one of the messages.
  private(set) var isMissed = false

  /// - Parameters:
  ///   - channels: the symbol of each message.
  ///   - isSingle: whether of a symbol the first message alone is sent.
  init(_ channels: [Int], isSingle: (_ channel: Int) -> Bool = { _ in false }) {
    places = channels.indices.filter { $0 == 0 || channels[$0] != channels[$0 - 1] || !isSingle(channels[$0]) }
    self.channels = places.map { channels[$0] }
    (isAnswered, isStored) = (places.map { _ in false }, places.map { _ in false })
  }

  /// Whether no message has an answer.
  var isUnanswered: Bool { !isAnswered.contains(true) }

  /// The places of those that are stored.
  var stored: Set<Int> { Set(places.indices.lazy.filter { isStored[$0] }.map { places[$0] }) }

  /// The symbols of which something was not answered, and those of which the first message was refused. The messages behind that one
  /// are refused for their place.
  var stuck: (silent: Set<Int>, refused: Set<Int>) {
    var (silent, refused, seen) = (Set<Int>(), Set<Int>(), Set<Int>())
    for (place, channel) in channels.enumerated() {
      if !isAnswered[place] { silent.insert(channel) }
      if seen.insert(channel).inserted, !isStored[place] { refused.insert(channel) }
    }
    return (silent, refused.subtracting(silent))
  }

  /// Reads the answers to messages with numbers from `first` on, until each has one or the time is over.
  ///
  /// - Parameter isHopeless: whether the last message of a symbol was not stored.
  mutating func read(
    _ answers: NATSSubscription, from first: UInt64, isHopeless: (_ channel: Int) -> Bool
  ) throws(NATSSubscription.Absence) {
    let isHopeless = channels.map(isHopeless)
    var (unanswered, awaited) = (channels.count, isHopeless.count { !$0 })
    var end = ContinuousClock.now + (awaited == 0 ? Self.hopelessLimits.alone : Self.limit)
    while unanswered > 0 {
      let answer: NATSMessage
      do throws(NATSSubscription.Absence) {
        answer = try answers.next(within: max(0, Int64((end - ContinuousClock.now) / .milliseconds(1))))
      } catch {
        guard error == .noResponders else { throw error }
        // Of one of the messages.
        reason = "no stream has its subject"
        isMissed = true
        unanswered -= 1
        continue
      }
      // Late answers to earlier rounds have lower numbers.
      guard let number = answer.subjectNumber, number >= first, number - first < channels.count else { continue }
      let place = Int(number - first)
      if !isAnswered[place] {
        isAnswered[place] = true
        unanswered -= 1
        if !isHopeless[place] {
          awaited -= 1
          if awaited == 0 { end = min(end, .now + Self.hopelessLimits.behind) }
        }
      }
      switch StreamAnswer(answer) {
      case .stored: isStored[place] = true
      case .behindAnother: break
      case .refused(let fault): reason = fault
      }
    }
    if isUnanswered { throw .noResponders }
  }
}
#endif
