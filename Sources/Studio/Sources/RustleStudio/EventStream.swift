internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import ServiceLifecycle
internal import StudioCore

/// Values as server-sent events, for programs such as curl: a line of JSON each.
struct EventStream: Sendable {
  /// The beginning: the milliseconds after which a reader whose connection is lost tries again.
  static let beginning = ByteBuffer(string: "retry: 1000\n\n")
  /// The time after which a comment keeps a silent connection open.
  static let silence = Duration.seconds(15)
  /// The comment.
  static let comment = ": still here\n\n"

  let studio: Studio
  let topics: Set<Topic>

  /// The topics of a request: those of `topics`, separated by commas, or the prices.
  init(studio: Studio, topics names: String?) throws(ActionError) {
    self.studio = studio
    var topics: Set<Topic> = []
    for name in (names ?? Topic.prices.name).split(separator: ",") {
      guard let topic = Topic(name: String(name)) else {
        let all = Topic.allCases.map(\.name).joined(separator: ", ")
        throw ActionError("validation", "topics: expected names of topics (\(all)), got \(name)", status: 400)
      }
      topics.insert(topic)
    }
    self.topics = topics
  }

  /// The response, which ends with its reader and with the server.
  func response(to request: Request) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        try await request.body.consumeWithCancellationOnInboundClose { _ in try await run(&writer) }
        try await writer.finish(nil)
      })
  }

  /// Writes to a reader until its connection or the server ends.
  func run(_ writer: inout any ResponseBodyWriter) async throws {
    let client = studio.hub.join(canAct: false)
    defer { studio.hub.leave(client) }
    client.withOutbox { $0.subscribe(topics) }
    studio.hub.subscriptionsChanged()
    let ticks = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: Self.silence)
        client.withOutbox { if $0.isEmpty { $0.answer("") } }
      }
    }
    defer { ticks.cancel() }
    try await writer.write(Self.beginning)
    for await _ in client.isReady.cancelOnGracefulShutdown() {
      let (texts, values) = client.take()
      // Of states nothing is sent but that it is there.
      var text = texts.isEmpty ? "" : Self.comment
      for (frame, lost) in values {
        guard case .object(var value) = frame.json else { continue }
        value["lost"] = .integer(lost)
        text += "id: \(frame.topic.name)-\(frame.sequence)\ndata: \(JSON.object(value).text)\n\n"
      }
      let bytes = ByteBuffer(string: text)
      try await writer.write(bytes)
      studio.hub.sent(bytes: bytes.readableBytes, lost: values.reduce(0) { $0 + UInt64($1.lost) })
    }
  }
}
