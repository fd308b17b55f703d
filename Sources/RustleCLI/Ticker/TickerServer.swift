import RustleMarket

/// The server of a run, where others read its source.
struct TickerServer: Sendable {
  private let server: FeedServer

  /// nil when the plan has none. Clients of a recording are waited for, as its other readers are.
  ///
  /// - Throws: `CommandFailure`, naming the option.
  init?(_ plan: TickerPlan, of feed: MarketFeed) async throws {
    guard let address = plan.serve else { return nil }
    do throws(FeedError) {
      server = try await feed.serve(on: address, policy: plan.everything)
    } catch {
      throw error.named("--serve")
    }
  }

  /// Where it is: with the port that was found, where none was asked for.
  var address: FeedAddress { server.address }

  /// What a view shows of it.
  var status: TickerStatus.Server { TickerStatus.Server(address: address, clients: counts.clients) }

  /// What went through so far.
  var counts: ServerCounts { server.counts }

  /// Returns when there is a client, or the server or the task is over: a recording that began before would have been played to
  /// nobody.
  func untilSomebodyIsThere() async {
    if counts.accepted > 0 { return }
    for await _ in server.changes where counts.accepted > 0 { return }
  }

  /// Returns when the source came to its end and each client has read what there was, and when the server was stopped. Cancelling
  /// the task stops it.
  func untilOver() async { await server.untilOver() }

  /// Disconnects the clients, and returns when the address is free.
  func stop() async { await server.stop() }
}

extension FeedError {
  /// The failure with the option that is at fault, in the place of the library's word for it.
  func named(_ option: String) -> any Error {
    guard let failure = CommandFailure(self) else { return self }
    let word = "\(option.drop { $0 == "-" }): "
    let message = failure.message.hasPrefix(word) ? String(failure.message.dropFirst(word.count)) : failure.message
    return CommandFailure(failure.status, "\(option): \(message)", advice: failure.advice)
  }
}
