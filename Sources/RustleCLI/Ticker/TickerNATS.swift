import ArgumentParser
import Foundation
import RustleMarket

#if NATS
internal import RustleNATS
#endif

/// What a stream has before the trades that are published from now on: the value of `--history`.
enum TickerHistory: Sendable, Hashable {
  case last, all
  case since(Timestamp)

  init(_ text: String) throws {
    switch text {
    case "last": self = .last
    case "all": self = .all
    default: self = .since(try Parse.time(text))
    }
  }
}

extension FeedConfiguration {
  /// The source of `--connect nats://…`.
  ///
  /// - Parameter silence: the time after which a silent server is lost; nil: the default.
  static func nats(_ address: String, schema: String?, history: TickerHistory?, silence: Duration?) throws -> Self {
    #if NATS
    var feed = NATSFeed(try natsAddress(address, of: "--connect"), schema: schema)
    // The silence of two intervals.
    if let silence { feed.pingInterval = silence / 2 }
    feed.replay =
      switch history {
      case nil: .live
      case .last: .lastPerSymbol
      case .all: .all
      case .since(let time): .from(time)
      }
    return .nats(feed)
    #else
    throw withoutNATS("--connect", address)
    #endif
  }
}

/// The publication of a run's trades on NATS.
struct TickerPublication: Sendable {
  #if NATS
  private let address: String
  private let publication: NATSPublication
  #endif

  /// - Throws: the address is malformed, or the command has no NATS.
  static func check(_ publishing: TickerPlan.Publishing) throws {
    #if NATS
    _ = try natsAddress(publishing.address, of: "--publish")
    #else
    throw withoutNATS("--publish", publishing.address)
    #endif
  }

  init(_ publishing: TickerPlan.Publishing, of feed: MarketFeed, symbols: FeedSymbols, policy: FeedPolicy) async throws
  {
    #if NATS
    let address = try natsAddress(publishing.address, of: "--publish")
    publication = try await feed.publish(
      of: symbols,
      on: NATSPublisher(
        address, durable: publishing.age.map { NATSPublisher.Durable(age: $0) }, epoch: publishing.epoch),
      policy: policy)
    self.address = address.prefix
    #else
    throw withoutNATS("--publish", publishing.address)
    #endif
  }

  /// Reports the connection's states to their end.
  func report(to notes: LineWriter?) async {
    #if NATS
    for await state in publication.connectionStates {
      switch state {
      case .connected, .reconnecting:
        try? notes?.write("rustle: --publish: \(CommandFailure.visible(state.text))\n")
      case .idle, .connecting, .closed: break
      }
    }
    #endif
  }

  /// Waits for the end.
  func end() async {
    #if NATS
    _ = await publication.counts
    #endif
  }

  /// Notes for standard error, once it has ended.
  ///
  /// - Throws: trades were not sent, or not acknowledged.
  func summary() async throws -> [String] {
    #if NATS
    let counts = await publication.counts
    if counts.failed > 0 {
      throw CommandFailure(
        .unavailable, "--publish: \(counts.failed) updates were not published: \(counts.reason ?? "unknown reason")",
        advice: "Start a server: nats-server, with -js for --durable.")
    }
    let rows = [
      (counts.published, "updates published at \(address)"), (counts.retries, "updates published again"),
      (counts.dropped, "updates dropped: --publish was too slow"),
    ]
    return rows.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    #else
    return []
    #endif
  }
}

#if NATS
private func natsAddress(_ text: String, of option: String) throws -> NATSAddress {
  do throws(FeedError) {
    return try NATSAddress(text)
  } catch {
    throw ValidationError("\(option): \(error.message.replacing("address: ", with: "", maxReplacements: 1))")
  }
}
#else
private func withoutNATS(_ option: String, _ address: String) -> ValidationError {
  let shown = address.contains("@") ? "nats://…" : address
  return ValidationError(
    "\(option): expected \(option == "--connect" ? "host:port or unix:/path" : "a command with NATS"), got \(shown): this command was built without NATS"
  )
}
#endif
