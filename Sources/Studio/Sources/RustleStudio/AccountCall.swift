internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import RustleAccounts
internal import StudioCore

/// A request of an account.
struct AccountCall: Sendable {
  let request: Request
  let client: AccountClient
  let isSecure: Bool
  let token: String?
  let body: JSON
  private let context: StudioContext
  private let accounts: Accounts

  init(_ request: Request, _ context: StudioContext, _ service: AccountService, maximumLength: Int) async throws {
    (self.context, accounts) = (context, service.accounts)
    (client, isSecure) = service.client(request.head, peer: context.address)
    token = service.token(request.head, isSecure: isSecure)
    var request = request
    // The body of a stream of events ends with its reader.
    if request.method == .get {
      body = .null
    } else {
      let bytes = try await request.collectBody(upTo: maximumLength)
      guard bytes.readableBytes == 0 || JSON(text: Array(bytes.readableBytesView)) != nil else {
        throw AccountRefusal(.validation, "expected a body of JSON")
      }
      body = JSON(text: Array(bytes.readableBytesView)) ?? .null
    }
    self.request = request
  }

  /// A text of the body. What came instead is not quoted: it may be a password.
  func text(_ key: String) throws -> String {
    guard let text = body[key].string else {
      throw AccountRefusal(.validation, "\(key): expected a text", field: key)
    }
    return text
  }

  /// The host, with the port, by which the client knows the server.
  var host: String? { request.head.authority }

  /// The value of a cookie; nil: there is none, or more than one.
  func cookie(_ name: String) -> String? { AccountService.value(of: name, in: request.head.headerFields[.cookie]) }

  func parameter(_ name: String) -> String { context.parameters.get(name) ?? "" }

  /// What follows in the path of a route with `**`.
  var rest: String {
    context.parameters.getCatchAll().map { $0.removingPercentEncoding ?? "" }.joined(separator: "/")
  }

  /// Who is signed in, whomever the page shows.
  func whoever() async throws -> Accounts.SignedIn? {
    guard let token else { return nil }
    return try await accounts.signedIn(token: token)
  }

  func signedInIfAny() async throws -> Accounts.SignedIn? {
    let signedIn = try await whoever()
    // Another tab of the browser has signed in somebody else since.
    if let owner, let signedIn, owner != signedIn.account.handle {
      throw AccountRefusal(.signedOut, "expected a session of the page's account, got one of another account")
    }
    return signedIn
  }

  /// Refuses a page of another account than the one that is signed in.
  func checkOwner() async throws { _ = try await signedInIfAny() }

  /// The handle of the account that a page shows; nil: it does not say.
  private var owner: String? {
    HTTPField.Name("Rustle-Account").flatMap { request.headers[$0] }
  }

  func signedIn() async throws -> Accounts.SignedIn {
    guard let signedIn = try await signedInIfAny() else {
      throw AccountRefusal(.signedOut, "expected a session: sign in")
    }
    return signedIn
  }
}
