#if WebSocket
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
import Foundation
import RustleCore
import RustleFiles

/// Answers `GET /metrics` by HTTP, to whoever reaches it: what it serves are counts. On an address of this machine alone it answers
/// by that machine's names only (421 otherwise).
struct MetricsEndpoint: Sendable {
  private typealias Client = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  /// The most connections at a time; a further one ends the oldest.
  private static let maximumClients = 16
  /// How long a connection lasts, which has one request.
  private static let patience = TimeAmount.seconds(5)

  private let server: NIOAsyncChannel<Client, Never>
  /// The address as it was given; nil: other machines reach it.
  private let local: MetricsAddress?
  let url: String

  /// Listens.
  ///
  /// - Throws: `CommandFailure` for an address that cannot be listened on.
  init(_ address: MetricsAddress) async throws {
    do {
      server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        // Who asks and says that nothing follows is answered.
        .childChannelOption(.allowRemoteHalfClosure, value: true)
        .bind(host: address.host, port: address.port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
            return try Client(wrappingChannelSynchronously: channel)
          }
        }
    } catch {
      let number = (error as? IOError)?.errnoCode ?? EADDRNOTAVAIL
      throw CommandFailure(
        .unavailable, "--metrics: \(address.text(port: address.port)): \(SystemError.reason(number))",
        advice: "Name an address of this machine, and a port that no other program has.")
    }
    let bound = server.channel.localAddress?.ipAddress ?? ""
    local = ["127.", "::1", "::ffff:127."].contains { bound.hasPrefix($0) } ? address : nil
    url = "http://\(address.text(port: server.channel.localAddress?.port ?? address.port))/metrics"
  }

  /// Answers until the task is cancelled.
  ///
  /// - Parameter text: makes the text of an answer.
  func run(_ text: @escaping @Sendable () async -> String) async throws {
    try await server.executeThenClose { clients in
      try await withThrowingDiscardingTaskGroup { tasks in
        // In the order in which they came.
        var open: [any Channel] = []
        for try await client in clients {
          open.removeAll { !$0.isActive }
          if open.count == Self.maximumClients { open.removeFirst().close(promise: nil) }
          open.append(client.channel)
          tasks.addTask { await Self.serve(client, local, text) }
        }
        tasks.cancelAll()
      }
    }
  }

  private static func serve(_ client: Client, _ local: MetricsAddress?, _ text: @Sendable () async -> String) async {
    let channel = client.channel
    let end = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    defer { end.cancel() }
    // A client that leaves early has no answer.
    try? await client.executeThenClose { requests, answers in
      var head: HTTPRequestHead?
      for try await part in requests {
        switch part {
        case .head(let request): head = request
        case .body: break
        case .end:
          guard let head else { return }
          return try await answer(head, local, text, to: answers)
        }
      }
    }
  }

  private static func answer(
    _ request: HTTPRequestHead, _ local: MetricsAddress?, _ text: @Sendable () async -> String,
    to answers: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
  ) async throws {
    let path = request.uri.prefix { $0 != "?" }
    // A page of another origin whose name leads to this machine reads nothing of what only this machine is to read.
    let isForeign = local.map { !request.headers["host"].allSatisfy($0.isNamed) } ?? false
    let (status, body): (HTTPResponseStatus, String) =
      switch (path, request.method) {
      case _ where isForeign: (.misdirectedRequest, "expected the address of this endpoint\n")
      case ("/metrics", .GET), ("/metrics", .HEAD): (.ok, await text())
      case ("/metrics", _): (.methodNotAllowed, "expected GET, got \(request.method.rawValue)\n")
      default: (.notFound, "expected /metrics\n")
      }
    var headers: HTTPHeaders = ["content-type": EngineMetric.mediaType, "connection": "close"]
    headers.add(name: "content-length", value: "\(body.utf8.count)")
    if status == .methodNotAllowed { headers.add(name: "allow", value: "GET, HEAD") }
    try await answers.write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
    if request.method != .HEAD { try await answers.write(.body(.byteBuffer(ByteBuffer(string: body)))) }
    try await answers.write(.end(nil))
  }
}
#endif
