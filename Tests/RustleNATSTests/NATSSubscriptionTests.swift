#if NATS
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RustleNATS

/// Subscriptions of libnats, over a real server.
@Suite(.releasesNativeObjects) struct NATSSubscriptionTests {
  private static let id = Array("s/0/A/1\0".utf8)

  private static func connection(to server: NATSServer) throws -> NATSConnection {
    try NATSConnection(
      to: server.address(), connectTimeout: .seconds(20), pingInterval: .seconds(20), reconnectWait: .milliseconds(10))
  }

  /// Publishes until it is asked to end.
  private final class Sender: Sendable {
    private let isOver = Atomic(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(to address: NATSAddress) {
      let thread = Thread { [self] in
        let connection = try? NATSConnection(
          to: address, connectTimeout: .seconds(20), pingInterval: .seconds(20), reconnectWait: .milliseconds(10))
        while !isOver.load(ordering: .relaxed) {
          try? connection?.publish([1], to: "a", id: NATSSubscriptionTests.id, reply: nil)
        }
        hasEnded.signal()
      }
      thread.start()
    }

    func end() {
      isOver.store(true, ordering: .relaxed)
      hasEnded.wait()
    }
  }

  /// libnats 3.4.1 reads a subscription that is destroyed while one of its messages arrives: nats-io/nats.c#637. Destroyed at once,
  /// instead of after a flush, they end 17 of 20 runs of this test.
  @Test func aSubscriptionEndsWhileItsMessagesArrive() throws {
    let server = try NATSServer()
    let sender = Sender(to: server.address())
    let connection = try Self.connection(to: server)
    for round in 0..<300 {
      let messages = try (0..<4).map { _ in try connection.subscription(to: "a", pending: 16) }
      for message in messages { _ = try? message.next(within: 20_000) }
      if round % 100 == 99 { try connection.flush(within: .seconds(20)) }
    }
    sender.end()
  }

  @Test func whatASlowReaderMissesIsCounted() throws {
    let server = try NATSServer()
    let connection = try Self.connection(to: server)
    let messages = try connection.subscription(to: "a", pending: 16)
    for _ in 0..<100 { try connection.publish([1], to: "a", id: Self.id, reply: nil) }
    try connection.flush(within: .seconds(20))
    #expect(messages.newlyDropped() == 84 && messages.newlyDropped() == 0)
  }
}
#endif
