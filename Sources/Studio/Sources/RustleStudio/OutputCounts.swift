internal import RustleLighting

/// What the output has sent of each universe of a show since it was armed, and how many of its slots are lit.
struct OutputCounts {
  /// A universe of the show.
  struct Universe {
    let universe: DMXUniverse
    /// The fixtures whose first slot is in it.
    let fixtureCount: Int
    /// The slots that are not 0.
    fileprivate(set) var litSlotCount = 0
    /// What is sent of it; nil: nothing, as the output is not armed or has the other protocol.
    fileprivate(set) var sent: UniverseSending?
  }

  /// What the output has sent of a universe since it was armed.
  struct UniverseSending {
    /// How long a refusal is shown: a machine where no program listens answers about once a second.
    private static let memory = Duration.seconds(3)

    let counts: DMXSentCounts
    /// Packets a second since the counts before.
    let rate: Double
    private let refused: ContinuousClock.Instant?
    /// Whether a datagram was refused lately.
    let isFailing: Bool

    init(_ counts: DMXSentCounts, at time: ContinuousClock.Instant, after before: Self?, in elapsed: Duration?) {
      self.counts = counts
      rate = OutputCounts.rate(from: before?.counts.packets, to: counts.packets, in: elapsed)
      refused = counts.refusals > before?.counts.refusals ?? 0 ? time : before?.refused
      isFailing = refused.map { $0.duration(to: time) < Self.memory } ?? false
    }
  }

  /// What the output has sent since it was armed.
  struct Sending {
    let report: DMXReport
    fileprivate let time: ContinuousClock.Instant
    /// Packets a second since the report before.
    let rate: Double
  }

  /// The most universes that are counted.
  private static let universeLimit = 64

  /// The first universes of the show.
  private(set) var universes: [Universe]
  /// Nil: the output is not armed.
  private(set) var sending: Sending?

  init(of show: LightShow) {
    let fixtures = Dictionary(grouping: (try? show.fixtures()) ?? [], by: \.universe)
    universes = fixtures.keys.sorted().prefix(Self.universeLimit).map {
      Universe(universe: $0, fixtureCount: fixtures[$0]?.count ?? 0)
    }
  }

  /// Begins to count another output, which has sent nothing.
  mutating func beginOutput() {
    sending = nil
    for place in universes.indices { universes[place].sent = nil }
  }

  /// Notes the levels of the show; empty: it does not play.
  mutating func note(_ levels: [DMXUniverse: [UInt8]]) {
    for place in universes.indices {
      universes[place].litSlotCount = levels[universes[place].universe]?.count { $0 > 0 } ?? 0
    }
  }

  /// Notes what the output had sent at a time.
  mutating func note(_ report: DMXReport, _ counts: [DMXUniverse: DMXSentCounts], at now: ContinuousClock.Instant) {
    let elapsed = sending?.time.duration(to: now)
    let rate = Self.rate(from: sending?.report.packets, to: report.packets, in: elapsed)
    sending = Sending(report: report, time: now, rate: rate)
    for place in universes.indices {
      universes[place].sent = counts[universes[place].universe].map {
        UniverseSending($0, at: now, after: universes[place].sent, in: elapsed)
      }
    }
  }

  private static func rate(from before: UInt64?, to after: UInt64, in elapsed: Duration?) -> Double {
    elapsed.map { max(0, Double(after) - Double(before ?? 0)) / ($0 / .seconds(1)) } ?? 0
  }
}
