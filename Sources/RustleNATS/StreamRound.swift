#if NATS
/// What became of messages that were sent to a stream together, those of each symbol one behind the other.
struct StreamRound {
  /// How long an acknowledgement is waited for.
  static let limit = Duration.seconds(2)
  /// How long those of symbols alone are waited for of which the last message was not stored.
  private static let hopelessLimit = Duration.milliseconds(50)

  /// The symbol of each message.
  private let channels: [Int]
  private var isAnswered: [Bool]
  private(set) var isStored: [Bool]
  /// What was refused, or why nothing was answered; nil: nobody has said.
  var reason: String?
  /// Whether the server is there and has the stream: what is not stored is a matter of its symbol.
  var isHeard = false

  init(_ channels: [Int]) {
    self.channels = channels
    (isAnswered, isStored) = (channels.map { _ in false }, channels.map { _ in false })
  }

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
    var end = ContinuousClock.now + Self.limit
    while unanswered > 0 {
      let answer: NATSMessage
      do throws(NATSSubscription.Absence) {
        answer = try answers.next(within: max(0, Int64((end - ContinuousClock.now) / .milliseconds(1))))
      } catch {
        guard error == .noResponders else { throw error }
        // Of one of the messages.
        reason = "no stream has its subject"
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
          if awaited == 0 { end = min(end, .now + Self.hopelessLimit) }
        }
      }
      switch StreamAnswer(answer) {
      case .stored: isStored[place] = true
      case .behindAnother: break
      case .refused(let fault): reason = fault
      }
    }
    if !isAnswered.contains(true) { throw .noResponders }
  }
}
#endif
