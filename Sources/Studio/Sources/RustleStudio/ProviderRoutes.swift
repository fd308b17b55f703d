#if OIDC
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import RustleAccounts
internal import StudioCore

/// The routes of signing in by a provider.
struct ProviderRoutes: Sendable {
  /// The name of the cookie that binds a sign-in to its browser.
  private static func cookie(of call: AccountCall) -> String {
    CookieName.of("rustle_login", host: call.host, isSecure: call.isSecure)
  }

  let service: AccountService
  let logger: Logger
  private let clients: [String: ProviderClient]
  private let pending = PendingLogins()

  /// - Parameter base: the address by which the server is reached, with a slash at its end.
  init(_ service: AccountService, base: String, logger: Logger) {
    (self.service, self.logger) = (service, logger)
    clients = service.settings.providers.mapValues { ProviderClient($0, redirect: base + "auth/cb") }
  }

  func add(to router: Router<StudioContext>, on: AccountRoutes.Registration) {
    on(router, .get, "auth/login") { call in try await shown(call, begin) }
    on(router, .get, "auth/cb") { call in try await shown(call, end) }
    on(router, .post, "api/identities", link)
  }

  /// A browser shows the answer: one that refuses leads on to the page, which knows the reason by its code.
  private func shown(
    _ call: AccountCall, _ handle: (AccountCall) async throws -> Response
  ) async throws -> Response {
    do { return try await handle(call) } catch {
      let error = try AccountRoutes.refusal(for: error, logger)
      let place = "/#/account/failed/\(error.code.rawValue)"
      let text = """
        <!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in – Rustle studio</title>
        <meta http-equiv="refresh" content="0; url=\(place)"><p>The sign-in did not succeed. <a href="\(place)">Go on</a></p></html>
        """
      var response = Response(error)
      response.headers[.contentType] = "text/html; charset=utf-8"
      response.headers[.contentLength] = nil
      response.body = ResponseBody(byteBuffer: ByteBuffer(string: text))
      response.headers.append(HTTPField(name: .setCookie, value: header(nil, call)))
      return response
    }
  }

  /// Sends the browser to a provider: the one that is named, or the only one.
  private func begin(_ call: AccountCall) async throws -> Response {
    let query = call.request.uri.queryParameters
    let name = query["provider"].map(String.init) ?? (clients.count == 1 ? clients.keys.first : nil)
    let (address, cookie) = try await start(name, query["return"].map(String.init), nil, call)
    return Response(status: .found, headers: [.location: address, .setCookie: cookie])
  }

  /// Begins to link an identity with the account that is signed in. It is no link that another site can lead to.
  private func link(_ call: AccountCall) async throws -> Response {
    let signedIn = try await call.signedIn()
    // Whoever has a session for a moment leaves no way back into it.
    try await service.accounts.confirm(password: try call.text("password"), signedIn, from: call.client)
    let (address, cookie) = try await start(try call.text("provider"), nil, signedIn.account.id, call)
    var response = Response(json: ["v": .number(1), "location": .string(address)])
    response.headers[.setCookie] = cookie
    return response
  }

  private func start(
    _ name: String?, _ path: String?, _ account: Data?, _ call: AccountCall
  ) async throws -> (address: String, cookie: String) {
    guard let name, let client = clients[name] else {
      let all = clients.keys.sorted().joined(separator: ", ")
      throw AccountRefusal(.validation, "provider: expected one of \(all)", field: "provider")
    }
    try service.accounts.admit(call.client)
    let (cookie, login) = pending.begin(provider: name, returnPath: path, account: account)
    do {
      return (try await client.address(of: login), header(cookie, call))
    } catch let fault as ProviderFault {
      logger.warning("\(name) cannot be used: \(fault.reason)")
      throw AccountRefusal(.busy, "expected an answer of the provider", retryAfter: 30)
    }
  }

  /// Where the provider sends the browser back.
  private func end(_ call: AccountCall) async throws -> Response {
    try service.accounts.admit(call.client)
    let query = call.request.uri.queryParameters
    let refusal = AccountRefusal(.link, "expected a sign-in that this browser began; begin again")
    guard
      let login = pending.end(cookie: call.cookie(Self.cookie(of: call)), state: query["state"].map(String.init)),
      let client = clients[login.provider]
    else { throw try await refused("state", refusal, call) }
    // Of another provider that was mixed in (RFC 9207).
    if let issuer = query["iss"], issuer != client.provider.issuer {
      throw try await refused("iss parameter", refusal, call)
    }
    guard let code = query["code"].map(String.init), query["error"] == nil else {
      throw try await refused("error of the provider", refusal, call)
    }
    let claims: IDTokenClaims
    do {
      claims = try await client.claims(code: code, login)
    } catch let fault as ProviderFault {
      throw try await refused(fault.reason, refusal, call)
    }
    let identity = Identity(issuer: claims.issuer, subject: claims.subject)
    if let account = login.account {
      guard let signedIn = try await call.signedInIfAny(), signedIn.account.id == account else {
        throw try await refused("another account", refusal, call)
      }
      if try await service.accounts.link(identity, signedIn, from: call.client) {
        service.notify(signedIn.account, "A sign-in by \(identity.issuer) was linked with your account.", call.client)
      }
      return found(login.returnPath, [header(nil, call)])
    }
    let entry = try await service.accounts.logIn(
      identity, address: claims.isEmailVerified ? claims.email : nil, from: call.client, replacing: call.token)
    // The page takes along what was set on it before.
    let path = entry.isNew ? Self.path(ofNew: login.returnPath) : login.returnPath
    return found(path, [header(nil, call), service.cookie(entry.token, for: call)])
  }

  /// Adds the query `new` to a path.
  private static func path(ofNew path: String) -> String {
    let end = path.firstIndex(of: "#") ?? path.endIndex
    return path[..<end] + (path[..<end].contains("?") ? "&" : "?") + "new" + path[end...]
  }

  private func found(_ path: String, _ cookies: [String]) -> Response {
    var response = Response(status: .found, headers: [.location: path])
    for cookie in cookies { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
    return response
  }

  /// A line of the audit, and a refusal that does not say what was wrong.
  private func refused(_ reason: String, _ error: AccountRefusal, _ call: AccountCall) async throws -> AccountRefusal {
    try await service.accounts.noteRefusal(reason, from: call.client)
    return error
  }

  private func header(_ cookie: String?, _ call: AccountCall) -> String {
    // Lax: the way back is a navigation from another site.
    let age = cookie == nil ? 0 : Int(PendingLogins.lifetime)
    return "\(Self.cookie(of: call))=\(cookie ?? ""); HttpOnly; SameSite=Lax; Path=/; Max-Age=\(age)"
      + (call.isSecure ? "; Secure" : "")
  }
}
#endif
