/// What waits for one client: the newest value of each topic, the newest of each state, and answers in their order.
///
/// A value that is replaced before it is taken is counted, and the next frame of its topic carries the count. So a client that reads
/// slowly holds no memory beyond a value a topic, two for a moment, the states and some answers, and knows what it missed.
public struct Outbox: Sendable {
  /// The answers, those of actions under way too, with which it is full.
  public static let maximumAnswerCount = 256
  /// The bytes of answers and of actions under way with which it is full.
  public static let maximumAnswerLength = 256 << 10

  /// The topics that the client receives.
  public private(set) var topics: Set<Topic> = []
  /// Whether the client wants no values now: its page is hidden.
  public var isPaused = false {
    didSet {
      guard isPaused else { return }
      for (topic, last) in older { lost[topic, default: 0] &+= last.lost }
      (frames, older) = ([:], [:])
    }
  }

  private var frames: [Topic: SampleFrame] = [:]
  /// The count of those lost before the newest value.
  private var lost: [Topic: UInt32] = [:]
  /// The value before the newest one, with the count of those lost before it.
  private var older: [Topic: (frame: SampleFrame, lost: UInt32)] = [:]
  private var states: [String: String] = [:]
  private var revisions: [String: Int64] = [:]
  private var answers: [String] = []
  private var greeting: String?
  private var answerLength = 0
  /// The actions under way, and their bytes.
  private var begun = (count: 0, length: 0)

  /// Creates an empty outbox without topics.
  public init() {}

  /// Whether there is something to take.
  public var isEmpty: Bool { frames.isEmpty && states.isEmpty && answers.isEmpty && greeting == nil }

  /// Adds topics.
  public mutating func subscribe(_ topics: some Sequence<Topic>) { self.topics.formUnion(topics) }

  /// Removes topics, and what waits of them.
  public mutating func unsubscribe(_ topics: some Sequence<Topic>) {
    for topic in topics {
      self.topics.remove(topic)
      (frames[topic], lost[topic], older[topic]) = (nil, nil, nil)
    }
  }

  /// Whether a topic has two values to take.
  public var hasOlder: Bool { !older.isEmpty }

  /// Puts a value in place of those that wait, or after one of them. Returns whether the client receives the topic.
  ///
  /// - Parameters:
  ///   - frame: the value, newer than those of its topic before.
  ///   - spacing: the microseconds between both beyond which the newest one that waits is kept, in place of the one before it; nil: none is.
  public mutating func offer(_ frame: SampleFrame, keepingFrom spacing: UInt64? = nil) -> Bool {
    let topic = frame.topic
    guard topics.contains(topic), !isPaused else { return false }
    guard let waiting = frames.updateValue(frame, forKey: topic) else { return true }
    let isKept = spacing.map { frame.time > waiting.time &+ $0 } ?? false
    var before = lost.removeValue(forKey: topic) ?? 0
    if isKept || spacing == nil, let last = older.removeValue(forKey: topic) { before &+= last.lost &+ 1 }
    if isKept { older[topic] = (waiting, before) } else { lost[topic] = before &+ 1 }
    return true
  }

  /// Puts the first text of a connection before all others, however long it is.
  public mutating func greet(_ text: String) { greeting = text }

  /// Puts a state's text in place of the one that waits.
  public mutating func state(_ name: String, _ text: String) { states[name] = text }

  /// Puts a state's text in place of the one that waits, unless a newer revision of the state was put before.
  ///
  /// - Parameter revision: 0 or more; the same one again is put.
  public mutating func state(_ name: String, _ text: String, revision: Int64) {
    guard revision >= revisions[name] ?? 0 else { return }
    revisions[name] = revision
    states[name] = text
  }

  /// Whether answers wait.
  public var hasAnswers: Bool { !answers.isEmpty }

  /// Whether its client is to begin no further action before some answers are taken.
  public var isFull: Bool {
    begun.count + answers.count >= Self.maximumAnswerCount || begun.length + answerLength >= Self.maximumAnswerLength
  }

  /// Notes an action of so many bytes, whose answer follows.
  public mutating func begin(length: Int) {
    begun.count += 1
    begun.length += length
  }

  /// Puts an answer after the others.
  ///
  /// - Parameter length: the bytes of the action, which was begun; nil: it was not.
  public mutating func answer(_ text: String, toActionOfLength length: Int? = nil) {
    if let length {
      begun.count -= 1
      begun.length -= length
    }
    answerLength += text.utf8.count
    answers.append(text)
  }

  /// Takes what waits: the states and then the answers, which they precede; the new values of each topic that has some, by its number and
  /// in their order, each with the count of those lost before it.
  public mutating func take() -> (texts: [String], values: [(frame: SampleFrame, lost: UInt32)]) {
    let values = frames.values.sorted { $0.topic.rawValue < $1.topic.rawValue }.flatMap { frame in
      (older[frame.topic].map { [$0] } ?? []) + [(frame, lost.removeValue(forKey: frame.topic) ?? 0)]
    }
    defer {
      (greeting, states, answers, answerLength) = (nil, [:], [], 0)
      (frames, older) = ([:], [:])
    }
    let greetings = greeting.map { [$0] } ?? []
    return (greetings + states.sorted { $0.key < $1.key }.map(\.value) + answers, values)
  }
}
