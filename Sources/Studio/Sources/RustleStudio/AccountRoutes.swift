internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import RustleAccounts
internal import StudioCore

/// The routes of accounts. What they may be called by has been checked before.
struct AccountRoutes: Sendable {
  private static let maximumBodyLength = 64 << 10

  let service: AccountService
  let logger: Logger

  private var accounts: Accounts { service.accounts }

  func add(to router: Router<StudioContext>) {
    on(router, .get, "api/account", account)
    on(router, .delete, "api/account", delete)
    on(router, .get, "api/account/export", export)
    on(router, .post, "api/register", register)
    on(router, .post, "api/login", logIn)
    on(router, .post, "api/logout", logOut)
    on(router, .get, "api/sessions", sessions)
    on(router, .delete, "api/sessions", endOtherSessions)
    on(router, .delete, "api/sessions/:id", endSession)
    on(router, .get, "api/identities", identities)
    on(router, .delete, "api/identities", unlink)
    on(router, .post, "api/password", changePassword)
    on(router, .post, "api/password/forgot", forgot)
    on(router, .post, "api/password/reset", reset)
    #if OIDC
    if !service.settings.providers.isEmpty, let base = service.settings.publicAddress {
      ProviderRoutes(service, base: base.hasSuffix("/") ? base : base + "/", logger: logger).add(to: router, on: on)
    }
    #endif
    let settings = SettingRoutes(accounts: accounts)
    on(router, .get, "api/eq", settings.equalizer)
    on(router, .put, "api/eq", settings.saveEqualizer)
    on(router, .get, "api/eq/events", settings.events)
    on(router, .get, "api/settings", settings.all)
    on(router, .get, "api/settings/**", settings.one)
    on(router, .put, "api/settings/**", settings.save)
  }

  typealias Registration = (
    Router<StudioContext>, HTTPRequest.Method, String, @escaping @Sendable (AccountCall) async throws -> Response
  ) -> Void

  private func on(
    _ router: Router<StudioContext>, _ method: HTTPRequest.Method, _ path: String,
    _ handle: @escaping @Sendable (AccountCall) async throws -> Response
  ) {
    router.on(RouterPath(path), method: method) { [service, logger] request, context in
      do {
        return try await handle(try await AccountCall(request, context, service, maximumLength: Self.maximumBodyLength))
      } catch {
        return Response(try Self.refusal(for: error, logger))
      }
    }
  }

  /// What is answered instead, and logged if it is the server's fault.
  static func refusal(for error: any Error, _ logger: Logger) throws -> AccountRefusal {
    if let error = error as? any HTTPResponseError { throw error }
    if let error = error as? AccountRefusal {
      if error.code == .storage { logger.error("\(error.message)") }
      return error
    }
    // What went wrong may quote what was stored.
    logger.error("an account's request failed: \(type(of: error))")
    return AccountRefusal(.storage, "expected the accounts' file to be usable")
  }

  // MARK: Signing in

  private func register(_ call: AccountCall) async throws -> Response {
    try await call.checkOwner()
    let login = try await accounts.register(
      address: call.text("email"), password: call.text("password"), from: call.client, replacing: call.token)
    return signedIn(login, call, .created)
  }

  private func logIn(_ call: AccountCall) async throws -> Response {
    try await call.checkOwner()
    let login = try await accounts.logIn(
      address: call.text("email"), password: call.text("password"), from: call.client, replacing: call.token)
    return signedIn(login, call, .ok)
  }

  /// The cookie, of no use from now on, stays: an answer that deletes it may arrive after a sign-in of another tab, whose cookie it would take.
  private func logOut(_ call: AccountCall) async throws -> Response {
    if let signedIn = try await call.signedInIfAny() { try await accounts.logOut(signedIn) }
    return Response(status: .noContent)
  }

  private func sessions(_ call: AccountCall) async throws -> Response {
    let signedIn = try await call.signedIn()
    let sessions = try await accounts.sessions(signedIn)
    return Response(json: ["v": .number(1), "sessions": .array(sessions.map { $0.json(current: signedIn.session) })])
  }

  private func endSession(_ call: AccountCall) async throws -> Response {
    let signedIn = try await call.signedIn()
    try await accounts.endSession(id: call.parameter("id"), signedIn, from: call.client)
    return Response(status: .noContent)
  }

  private func endOtherSessions(_ call: AccountCall) async throws -> Response {
    try await accounts.endOtherSessions(try await call.signedIn(), from: call.client)
    return Response(status: .noContent)
  }

  private func signedIn(_ login: Accounts.Login, _ call: AccountCall, _ status: HTTPResponse.Status) -> Response {
    var response = Response(json: ["v": .number(1), "email": .string(login.account.address)], status: status)
    response.headers[.setCookie] = service.cookie(login.token, for: call)
    return response
  }

  private func identities(_ call: AccountCall) async throws -> Response {
    Response(json: ["v": .number(1), "identities": try await identities(try await call.signedIn())])
  }

  private func identities(_ signedIn: Accounts.SignedIn) async throws -> JSON {
    .array(
      try await accounts.identities(signedIn).map { identity in
        ["issuer": .string(identity.issuer), "subject": .string(identity.subject)]
      })
  }

  private func unlink(_ call: AccountCall) async throws -> Response {
    let identity = Identity(issuer: try call.text("issuer"), subject: try call.text("subject"))
    let signedIn = try await call.signedIn()
    try await accounts.confirm(password: try call.text("password"), signedIn, from: call.client)
    try await accounts.unlink(identity, signedIn, from: call.client)
    service.notify(signedIn.account, "The sign-in by \(identity.issuer) was removed from your account.", call.client)
    return Response(status: .noContent)
  }

  // MARK: Passwords

  private func changePassword(_ call: AccountCall) async throws -> Response {
    let signedIn = try await call.signedIn()
    let login = try await accounts.changePassword(
      from: call.text("current"), to: call.text("new"), signedIn, client: call.client)
    service.notify(signedIn.account, "The password of your account was changed.", call.client)
    return Response(status: .noContent, headers: [.setCookie: service.cookie(login.token, for: call)])
  }

  private func forgot(_ call: AccountCall) async throws -> Response {
    let address = try call.text("email")
    try accounts.admit(call.client)
    service.forgot(address, call.client)
    return Response(json: ["v": .number(1), "mail": .bool(service.sendsMail)], status: .accepted)
  }

  private func reset(_ call: AccountCall) async throws -> Response {
    let (account, removed) = try await accounts.resetPassword(
      token: call.text("token"), password: call.text("password"), from: call.client)
    service.notify(account, "The password of your account was set anew by a link.", call.client)
    return Response(json: ["v": .number(1), "removed": .integer(Int64(removed))])
  }

  // MARK: The whole account

  private func account(_ call: AccountCall) async throws -> Response {
    let signedIn = try await call.whoever()
    let providers = service.settings.providers.sorted { $0.key < $1.key }.map { id, provider in
      ["id": .string(id), "name": .string(provider.name)] as JSON
    }
    return Response(json: [
      "v": .number(1), "accounts": true, "id": .optional(signedIn?.account.handle),
      "email": .optional(signedIn?.account.address),
      "mail": .bool(service.sendsMail), "providers": .array(providers),
      "password": signedIn.map { .bool($0.account.hasPassword) } ?? .null,
      "verified": signedIn.map { .bool($0.account.isVerified) } ?? .null,
    ])
  }

  private func export(_ call: AccountCall) async throws -> Response {
    let signedIn = try await call.signedIn()
    var settings: [String: JSON] = [:]
    for setting in try await accounts.allSettings(signedIn) {
      var fields = setting.json
      (fields["changed"], fields["device"]) = (.integer(setting.changed), .string(setting.device))
      fields["deleted"] = .bool(setting.value == nil)
      settings[setting.name] = .object(fields)
    }
    let audit = try await accounts.audit(signedIn).map { entry in
      ["at": .integer(entry.at), "what": .string(entry.what), "from": .string(entry.from)] as JSON
    }
    let sessions = try await accounts.sessions(signedIn).map { $0.json(current: signedIn.session) }
    var response = Response(json: [
      "v": .number(1), "email": .string(signedIn.account.address), "verified": .bool(signedIn.account.isVerified),
      "identities": try await identities(signedIn),
      "created": .integer(signedIn.account.created),
      "settings": .object(settings), "sessions": .array(sessions), "audit": .array(audit),
    ])
    response.headers[.contentDisposition] = "attachment; filename=\"rustle-account.json\""
    return response
  }

  private func delete(_ call: AccountCall) async throws -> Response {
    try await accounts.delete(password: call.text("password"), try await call.signedIn(), from: call.client)
    return Response(status: .noContent)
  }
}

extension DeviceSession {
  fileprivate func json(current: DeviceSession) -> JSON {
    [
      "id": .string(id), "agent": .string(agent), "network": .string(network), "created": .integer(created),
      "seen": .integer(seen), "expires": .integer(expires), "current": .bool(self == current),
    ]
  }
}

extension AccountRefusal {
  var json: JSON {
    ["code": .string(code.rawValue), "message": .string(message), "field": .optional(field), "advice": .null]
  }
}

extension Response {
  init(_ error: AccountRefusal) {
    self.init(json: ["v": .number(1), "error": error.json], status: HTTPResponse.Status(code: error.status))
    if let seconds = error.retryAfter { headers[.retryAfter] = "\(seconds)" }
  }
}
