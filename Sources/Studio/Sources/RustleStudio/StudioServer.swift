public import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import RustleLighting
public import RustleMarket
internal import ServiceLifecycle
internal import StudioCore
internal import UnixSignals

/// The studio's server.
public struct StudioServer: Sendable {
  /// Where it listens, and who may use it.
  public struct Configuration: Sendable, Hashable {
    /// The address: an IP address or a host name.
    public var address = "127.0.0.1"
    /// The port, 0 to 65535; 0: a free one.
    public var port = 8_420
    /// Whether a token is needed on the loopback too; elsewhere it always is.
    public var needsToken = false
    /// Further host names by which it is reached.
    public var allowedHosts: [String] = []
    /// The maximum number of connections.
    public var maximumConnectionCount = 200
    /// The maximum number of connections of one address: behind a reverse proxy all are of the proxy's.
    public var maximumConnectionCountPerAddress = 32
    /// The reverse proxies that are trusted.
    public var proxies = TrustedProxies()
    /// The folder of recordings, which is made with the first one.
    public var recordings: URL
    /// The show of the lights; nil: the demo show of a festival.
    public var show: StudioShow?

    /// A feed of prices to choose, besides simulated ones; nil: none.
    public var feed: FeedAddress?
    /// The path of a recording of prices to choose, in NDJSON or CSV; nil: none.
    public var priceRecording: String?
    /// The camera of the server, to find fixtures with; nil: none.
    public var camera: CameraInput?
    /// The accounts; nil: none.
    public var accounts: AccountSettings?
    /// A folder with the files of the page, each served as it is then; nil: those in the program.
    public var webRoot: URL?

    /// The loopback, without a token; recordings go to the user's application data.
    public init() {
      let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
      recordings = (folders.first ?? FileManager.default.temporaryDirectory).appending(path: "rustle/recordings")
    }
  }

  private static let maximumBodyLength = 64 << 10

  private let configuration: Configuration

  /// Creates a server, which does not listen yet.
  public init(_ configuration: Configuration) { self.configuration = configuration }

  /// Keeps passwords that are being checked out of the file that a crash of this process would leave.
  ///
  /// - Returns: whether the system does so.
  public static func leaveNoCore() -> Bool {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if os(Linux)
    let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #else
    let core = RLIMIT_CORE
    #endif
    return unsafe setrlimit(core, &none) == 0
  }

  /// Serves until the process is asked to end (SIGINT, SIGTERM).
  ///
  /// - Parameter ready: receives the address of the page, with the token, once it is served.
  /// - Throws: ``ListenError``.
  public func run(ready: @escaping @Sendable (String) -> Void) async throws {
    let token =
      configuration.needsToken || !AccessRules.isLoopback(configuration.address) ? AccessRules.newToken() : nil
    let rules = AccessRules(hosts: configuration.allowedHosts + hostNames, token: token)
    let sources = [
      configuration.feed.map { Prices.Source.live($0) }, configuration.priceRecording.map { .replay(path: $0) },
    ]
    let studio = try await Studio(
      recordings: configuration.recordings, show: try configuration.show ?? StudioShow(),
      prices: sources.compactMap(\.self), camera: configuration.camera)
    var logger = Logger(label: "rustle-studio")
    logger.logLevel = .warning
    let service: AccountService?
    if let accounts = configuration.accounts {
      service = try await AccountService(accounts, proxies: configuration.proxies, logger: logger)
    } else {
      service = nil
    }
    let router = router(rules, studio, service, logger)
    let channel: HTTPServerBuilder = HTTPServerBuilder { [configuration] responder in
      StudioChannel(
        responder: responder, rules: rules, proxies: configuration.proxies, studio: studio, accounts: service,
        addresses: AddressCounts(maximum: configuration.maximumConnectionCountPerAddress))
    }
    let name = hostNames.first ?? configuration.address
    let application = Application(
      router: router, server: channel,
      configuration: ApplicationConfiguration(
        address: .hostname(configuration.address, port: configuration.port), serverName: nil,
        availableConnectionsDelegate: MaximumAvailableConnections(configuration.maximumConnectionCount)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? 0
        let address = "http://\(name):\(port)/"
        service?.listens(at: address)
        ready(address + (token.map { "?token=\($0)" } ?? ""))
      }, logger: logger)
    do {
      // Asked to end, it ends the last of them first: the lamps are dark before clients are waited for.
      try await ServiceGroup(
        services: [application, Darkening(studio: studio)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
      ).run()
    } catch {
      await studio.stop()
      await service?.stop()
      if let error = error as? IOError {
        let reason = unsafe String(cString: strerror(error.errnoCode))
        throw ListenError(message: "cannot listen on \(name):\(configuration.port): \(reason)")
      }
      if error is SocketAddressError.UnknownHost {
        throw ListenError(
          message: "cannot listen on \(name):\(configuration.port): expected the name or address of this machine")
      }
      throw error
    }
    await studio.stop()
    await service?.stop()
  }

  /// The addresses by which it is reached, as they stand in a URL: of a server on all interfaces those of each, the loopback's last.
  private var hostNames: [String] {
    guard ["0.0.0.0", "::"].contains(configuration.address) else {
      return [configuration.address.contains(":") ? "[\(configuration.address)]" : configuration.address]
    }
    let interfaces = (try? NetworkInterface.all()) ?? []
    return interfaces.filter { !$0.isLoopback }.map(\.address) + ["127.0.0.1"]
  }

  private func router(
    _ rules: AccessRules, _ studio: Studio, _ service: AccountService?, _ logger: Logger
  ) -> Router<StudioContext> {
    let router = Router(context: StudioContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: AccessMiddleware(rules: rules, proxies: configuration.proxies))
    // Ranges too, with which a player seeks.
    let files = FileMiddleware<StudioContext, LocalFileSystem>(
      configuration.recordings.path, urlBasePath: "/recordings", logger: logger)
    router.add(middleware: RecordingsMiddleware(recordings: studio.recordings, files: files))
    router.get("ws") { _, _ in
      // One that asks for the upgrade never gets here.
      var response = Response(ActionError("refused", "expected an upgrade to a WebSocket", status: 426))
      response.headers[.upgrade] = "websocket"
      return response
    }
    router.get("healthz") { _, _ in "ok\n" }
    router.get("metrics") { _, _ in
      Response(
        status: .ok, headers: [.contentType: EngineMetric.mediaType],
        body: ResponseBody(byteBuffer: ByteBuffer(string: EngineMetric.text(of: await studio.metrics))))
    }
    router.get("api/state") { _, _ in
      let states = await MainActor.run {
        Dictionary(uniqueKeysWithValues: State.allCases.map { ($0.rawValue, studio.state($0)) })
      }
      return Response(json: ["v": .number(1), "states": .object(states)])
    }
    router.get("events") { request, _ in
      do throws(ActionError) {
        let topics = request.uri.queryParameters["topics"].map(String.init)
        return try EventStream(studio: studio, topics: topics).response(to: request)
      } catch {
        return Response(error)
      }
    }
    router.post("api/:engine/:action") { request, context in
      let name = try context.parameters.require("engine") + "/" + context.parameters.require("action")
      var request = request
      let body = try await request.collectBody(upTo: Self.maximumBodyLength)
      guard body.readableBytes == 0 || JSON(text: Array(body.readableBytesView)) != nil else {
        return Response(ActionError("validation", "expected a body of JSON", status: 400))
      }
      do throws(ActionError) {
        let result = try await studio.perform(name, JSON(text: Array(body.readableBytesView)) ?? .null, by: nil)
        return Response(json: ["v": .number(1), "result": result])
      } catch {
        return Response(error)
      }
    }
    if let service {
      AccountRoutes(service: service, logger: logger).add(to: router)
    } else {
      router.get("api/account") { _, _ in
        Response(json: ["v": .number(1), "accounts": false, "id": .null, "email": .null, "mail": false])
      }
    }
    for path in ["/", "**"] {
      router.get(RouterPath(path)) { request, _ in try file(request) }
    }
    return router
  }

  private func file(_ request: Request) throws -> Response {
    let path = request.uri.path == "/" ? "index.html" : String(request.uri.path.dropFirst())
    // Of a folder no others either.
    guard var file = WebFile.all[path] else { throw HTTPError(.notFound) }
    if let root = configuration.webRoot {
      guard let bytes = try? Data(contentsOf: root.appending(path: path)) else { throw HTTPError(.notFound) }
      file = WebFile(path: path, bytes: Array(bytes))
    }
    var headers: HTTPFields = [.contentType: file.type, .eTag: file.tag, .cacheControl: "no-cache"]
    if file.isText, request.method == .get { headers[.vary] = "Accept-Encoding" }
    if let tags = request.headers[.ifNoneMatch], file.matches(tags) {
      return Response(status: .notModified, headers: headers)
    }
    if request.method == .get, let gzip = file.gzip, AcceptedEncodings(request.headers[.acceptEncoding]).hasGzip {
      headers[.contentEncoding] = "gzip"
      return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: gzip))
    }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.bytes))
  }
}

/// Ends the output as soon as the server is asked to end, however long what else ends takes.
private struct Darkening: Service {
  let studio: Studio

  func run() async {
    try? await gracefulShutdown()
    Task { await studio.darken() }
  }
}

extension Response {
  init(json value: JSON, status: HTTPResponse.Status = .ok) {
    self.init(
      status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: value.text)))
  }

  fileprivate init(_ error: ActionError) {
    self.init(json: ["v": .number(1), "error": error.json], status: HTTPResponse.Status(code: error.status))
  }
}

/// Serves recordings, and nothing else of their folder: no other request reaches its files, however its path is written.
private struct RecordingsMiddleware: RouterMiddleware {
  typealias Context = StudioContext

  private static let prefix = "/recordings/"
  let recordings: Recordings
  let files: FileMiddleware<StudioContext, LocalFileSystem>

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let path = request.uri.path
    guard path.hasPrefix(Self.prefix) else { return try await next(request, context) }
    guard let name = path.dropFirst(Self.prefix.count).removingPercentEncoding, recordings.has(name) else {
      throw HTTPError(.notFound)
    }
    var request = request
    if let range = request.headers[.range], let size = recordings.size(of: name) {
      switch ByteRange(range, size: size) {
      case .satisfiable: break
      case .ignored:
        var head = request.head
        head.headerFields[.range] = nil
        request = Request(head: head, body: request.body)
      // The middleware would answer with a negative length.
      case .unsatisfiable:
        return Response(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */\(size)", .contentLength: "0"])
      }
    }
    return try await files.handle(request, context: context) { _, _ in throw HTTPError(.notFound) }
  }
}

/// The address cannot be listened to.
public struct ListenError: Error, Sendable, Hashable {
  /// The address and the system's reason.
  public let message: String
}

/// Checks each request, exchanges the token of an address for a cookie, and protects each answer.
private struct AccessMiddleware: RouterMiddleware {
  typealias Context = StudioContext

  let rules: AccessRules
  let proxies: TrustedProxies

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response = try await answer(request, context, next)
    for (name, value) in Self.headers { response.headers[name] = value }
    return response
  }

  private func answer(
    _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let isSecure = proxies.forwarded(request.head, peer: context.address)?.isSecure ?? false
    let refusal = rules.refusal(of: AccessRules.Head(request.head, isSecure: isSecure))
    if refusal == .token || refusal == nil, request.method == .get, request.uri.path == "/",
      let token = request.uri.queryParameters["token"].map(String.init), rules.accepts(token)
    {
      let name = AccessRules.Head.cookie(ofHost: request.head.authority, isSecure: isSecure)
      let cookie = "\(name)=\(token); HttpOnly; SameSite=Lax; Path=/" + (isSecure ? "; Secure" : "")
      return Response(status: .seeOther, headers: [.location: "/", .setCookie: cookie])
    }
    if let refusal {
      // A person who opens the page without the token.
      if refusal == .token, request.headers[.accept]?.contains("text/html") == true {
        let page = "<!doctype html><html lang=\"en\"><title>Rustle studio</title><p>\(refusal.message)</p></html>\n"
        return Response(
          status: .unauthorized, headers: [.contentType: "text/html; charset=utf-8"],
          body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
      }
      var response = Response(ActionError("refused", refusal.message, status: refusal.status))
      if refusal == .method { response.headers[.allow] = AccessRules.methods.joined(separator: ", ") }
      return response
    }
    do {
      return try await next(request, context)
    } catch let error as any HTTPResponseError {
      let message = (error as? HTTPError)?.body ?? error.status.reasonPhrase
      return Response(ActionError("refused", message, status: error.status.code))
    }
  }

  private static let headers: [(HTTPField.Name, String)] = [
    (
      "Content-Security-Policy",
      "default-src 'self'; connect-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        + "form-action 'self'; frame-ancestors 'none'"
    ), ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
  ].compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }
}
