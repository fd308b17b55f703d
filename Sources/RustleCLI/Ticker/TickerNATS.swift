import ArgumentParser
import Foundation
import Logging
import RustleCore
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
  static func nats(
    _ address: String, tokenFile: String?, roots: String?, schema: String?, history: TickerHistory?, silence: Duration?
  ) throws -> Self {
    #if NATS
    let token = try tokenFile.map { try natsCredentials(in: $0, of: "--peer-token-file") }
    var feed = NATSFeed(try natsAddress(address, of: "--connect", token, roots: roots), schema: schema)
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
  private let isDurable: Bool
  private let publication: NATSPublication
  #endif

  /// - Throws: the address is malformed, or the command has no NATS.
  static func check(_ publishing: TickerPlan.Publishing) throws {
    #if NATS
    _ = try natsAddress(publishing)
    #else
    throw withoutNATS("--publish", publishing.address)
    #endif
  }

  init(_ publishing: TickerPlan.Publishing, of feed: MarketFeed, symbols: FeedSymbols, policy: FeedPolicy) async throws
  {
    #if NATS
    let address = try natsAddress(publishing)
    publication = try await feed.publish(
      of: symbols,
      on: NATSPublisher(
        address, durable: publishing.age.map { NATSPublisher.Durable(age: $0, replicas: publishing.replicas) },
        epoch: publishing.epoch),
      policy: policy)
    (self.address, isDurable) = (address.prefix, publishing.age != nil)
    #else
    throw withoutNATS("--publish", publishing.address)
    #endif
  }

  /// Reports the connection's states to their end.
  func report(to notes: LineWriter?) async {
    #if NATS
    await withDiscardingTaskGroup { tasks in
      tasks.addTask {
        for await notice in publication.notices {
          notes?.note("--publish: \(CommandFailure.visible(notice))", .warning)
        }
      }
      for await state in publication.connectionStates {
        switch state {
        case .connected: notes?.note("--publish: \(CommandFailure.visible(state.text))")
        case .reconnecting: notes?.note("--publish: \(CommandFailure.visible(state.text))", .warning)
        case .idle, .connecting, .closed: break
        }
      }
    }
    #endif
  }

  /// The counts of the moment for Prometheus.
  var metrics: [EngineMetric] {
    #if NATS
    publication.metrics
    #else
    []
    #endif
  }

  /// Waits for the end: by itself, or after `limit`, when what is not published by then counts as that.
  func end(within limit: Duration? = nil) async {
    #if NATS
    let limiting = limit.map { limit in
      Task {
        if (try? await Task.sleep(for: limit)) != nil { publication.cancel() }
      }
    }
    _ = await publication.counts
    limiting?.cancel()
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
        .unavailable,
        "--publish: \(counted(counts.failed, "update was", "updates were")) not published: "
          + (counts.reason ?? "the command was ended"),
        advice: "Start a server: nats-server, with -js for --durable.")
    }
    if counts.dropped > 0, isDurable {
      throw CommandFailure(
        .unavailable,
        "--durable: \(counted(counts.dropped, "update was", "updates were")) dropped: publishing was too slow",
        advice: "Publish fewer symbols, or without --durable.")
    }
    let rows = [
      (counts.published, "published at \(address)"), (counts.retries, "published again"),
      (counts.dropped, "dropped: --publish was too slow"),
      (counts.repeated, "numbered as earlier ones, which readers leave out: see --epoch"),
    ]
    return rows.filter { $0.0 > 0 }.map { "\(counted($0.0, "update")) \($0.1)" }
    #else
    return []
    #endif
  }
}

#if NATS
private func natsAddress(_ publishing: TickerPlan.Publishing) throws -> NATSAddress {
  let token = try publishing.tokenFile.map { try natsCredentials(in: $0, of: "--publish-token-file") }
  return try natsAddress(publishing.address, of: "--publish", token, roots: publishing.roots)
}

func natsAddress(
  _ text: String, of option: String, _ credentials: NATSAddress.Credentials?, roots: String?
) throws -> NATSAddress {
  try natsChecked(option) { () throws(FeedError) in try NATSAddress(text, credentials: credentials, roots: roots) }
}

/// - Throws: the refusal, with the option's name.
func natsChecked<Value>(_ option: String, _ make: () throws(FeedError) -> Value) throws -> Value {
  do throws(FeedError) { return try make() } catch {
    throw ValidationError("\(option): \(error.message.replacing("address: ", with: "", maxReplacements: 1))")
  }
}

/// What a file has for a server: a NATS file of credentials, or in the first line a user and a password, or a token.
func natsCredentials(in file: String, of option: String) throws -> NATSAddress.Credentials {
  let text = try TextFile.read(file, option: option)
  if text.contains("BEGIN NATS USER JWT") { return .file(file) }
  let line = text.prefix { !$0.isNewline }
  guard (1...512).contains(line.utf8.count) else {
    throw CommandFailure(
      .badData, "\(option): \(file): expected 1 to 512 bytes in the first line, got \(line.utf8.count)")
  }
  guard let colon = line.firstIndex(of: ":") else { return .token(String(line)) }
  return .user(String(line[..<colon]), password: String(line[line.index(after: colon)...]))
}
#else
private func withoutNATS(_ option: String, _ address: String) -> ValidationError {
  let shown = address.contains("@") ? "nats://…" : address
  return ValidationError(
    "\(option): expected \(option == "--connect" ? "host:port or unix:/path" : "a command with NATS"), got \(shown): this command was built without NATS"
  )
}
#endif
