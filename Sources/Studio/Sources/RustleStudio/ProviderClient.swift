#if OIDC
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import JWTKit
internal import RustleAccounts

/// The studio at a provider of OpenID Connect: authorization code with PKCE (RFC 7636, RFC 9700).
actor ProviderClient {
  /// Seconds for which the provider's addresses and keys are kept, and between two requests for keys that were not known.
  private static let (freshness, patience) = (3_600.0, 30.0)

  nonisolated let provider: IdentityProvider
  private let redirect: String
  private var endpoints: IdentityProvider.Endpoints?
  private var keys: (set: JWKS, at: Double)?

  /// - Parameter redirect: where the provider sends people back, as it is registered there.
  init(_ provider: IdentityProvider, redirect: String) {
    (self.provider, self.redirect) = (provider, redirect)
    endpoints = provider.endpoints
  }

  /// The address to which a browser is sent.
  func address(of login: PendingLogins.Login) async throws -> String {
    let endpoint = try await found().authorization
    guard var parts = URLComponents(string: endpoint) else { throw ProviderFault(reason: "authorization endpoint") }
    let fields = [
      ("response_type", "code"), ("client_id", provider.client), ("redirect_uri", redirect),
      ("scope", (["openid"] + provider.scopes).joined(separator: " ")), ("state", login.state),
      ("nonce", login.nonce), ("code_challenge", login.challenge), ("code_challenge_method", "S256"),
    ]
    parts.percentEncodedQuery = ([parts.percentEncodedQuery].compactMap(\.self) + [Self.form(fields)]).joined(
      separator: "&")
    return parts.string ?? endpoint
  }

  /// What the ID token says for which a code is exchanged.
  func claims(code: String, _ login: PendingLogins.Login) async throws -> IDTokenClaims {
    guard let url = URL(string: try await found().token) else { throw ProviderFault(reason: "token endpoint") }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    var fields = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirect),
      ("client_id", provider.client), ("code_verifier", login.verifier),
    ]
    switch provider.authentication {
    case .basic:
      // Each part is encoded as in a form (RFC 6749, 2.3.1).
      let pair = Self.encoded(provider.client) + ":" + Self.encoded(provider.secret)
      request.setValue("Basic \(Data(pair.utf8).base64EncodedString())", forHTTPHeaderField: "Authorization")
    case .post: fields.append(("client_secret", provider.secret))
    }
    request.httpBody = Data(Self.form(fields).utf8)
    struct Answer: Decodable {
      let id_token: String
    }
    let token = try await json(Answer.self, request, "token").id_token
    return try await verified(token, login)
  }

  private func verified(_ token: String, _ login: PendingLogins.Login) async throws -> IDTokenClaims {
    struct Header: Decodable {
      let alg: String
      let kid: String?
    }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Data(base64URL: parts[0]),
      let header = try? JSONDecoder().decode(Header.self, from: bytes)
    else { throw ProviderFault(reason: "header") }
    // What the token says of itself chooses nothing: neither none, nor HS256 with a public key as the secret.
    guard header.alg == provider.algorithm else { throw ProviderFault(reason: "alg") }
    let isRSA = provider.algorithm == "RS256"
    func candidates(_ set: JWKS) -> [JWK] {
      set.keys.filter { key in
        key.keyType == (isRSA ? .rsa : .ecdsa) && (header.kid == nil || key.keyIdentifier?.string == header.kid)
          && (key.algorithm == nil || key.algorithm == (isRSA ? .rs256 : .es256))
      }
    }
    var found = candidates(try await keySet(unknown: false))
    if found.isEmpty { found = candidates(try await keySet(unknown: true)) }
    guard !found.isEmpty else { throw ProviderFault(reason: "kid") }
    for var key in found {
      // A collection keeps keys by their names.
      (key.keyIdentifier, key.algorithm) = (.init(string: header.kid ?? "key"), isRSA ? .rs256 : .es256)
      guard let collection = try? await JWTKeyCollection().add(jwk: key, isDefault: true),
        let payload = try? await collection.verify(token, as: Payload.self)
      else { continue }
      if let fault = payload.claims.fault(of: provider, nonce: login.nonce, now: Date.now.timeIntervalSince1970) {
        throw ProviderFault(reason: fault)
      }
      return payload.claims
    }
    throw ProviderFault(reason: "signature")
  }

  private struct Payload: JWTPayload {
    let claims: IDTokenClaims

    init(from decoder: any Decoder) throws { claims = try IDTokenClaims(from: decoder) }

    func encode(to encoder: any Encoder) throws { throw ProviderFault(reason: "encoding") }

    /// The claims are checked afterwards, with the nonce.
    func verify(using algorithm: some JWTAlgorithm) async throws {}
  }

  /// The provider's keys.
  ///
  /// - Parameter unknown: whether the token's is not among those that are kept: they are asked for again, but not often.
  private func keySet(unknown: Bool) async throws -> JWKS {
    let now = Date.now.timeIntervalSince1970
    if let keys, now - keys.at < (unknown ? Self.patience : Self.freshness) { return keys.set }
    guard let url = URL(string: try await found().keys) else { throw ProviderFault(reason: "keys") }
    struct Raw: Decodable {
      let keys: [Key]
    }
    struct Key: Decodable {
      let key: JWK?

      // A key of a kind that is not known here does no harm to the others.
      init(from decoder: any Decoder) throws { key = try? JWK(from: decoder) }
    }
    let set = JWKS(keys: try await json(Raw.self, URLRequest(url: url), "keys").keys.compactMap(\.key))
    keys = (set, now)
    return set
  }

  private func found() async throws -> IdentityProvider.Endpoints {
    if let endpoints { return endpoints }
    let base = provider.issuer.hasSuffix("/") ? String(provider.issuer.dropLast()) : provider.issuer
    guard let url = URL(string: base + "/.well-known/openid-configuration") else {
      throw ProviderFault(reason: "issuer")
    }
    struct Discovery: Decodable {
      let issuer: String
    }
    let request = URLRequest(url: url)
    let (data, status) = try await ProviderFetch.perform(request)
    guard status == 200, let discovery = try? JSONDecoder().decode(Discovery.self, from: data),
      let found = try? JSONDecoder().decode(IdentityProvider.Endpoints.self, from: data),
      // Exact (OpenID Connect Discovery 1.0, 4.3).
      discovery.issuer == provider.issuer,
      [found.authorization, found.token, found.keys].allSatisfy(IdentityProvider.isProtected)
    else { throw ProviderFault(reason: "discovery") }
    endpoints = found
    return found
  }

  private func json<Value: Decodable>(_ type: Value.Type, _ request: URLRequest, _ what: String) async throws -> Value {
    let (data, status) = try await ProviderFetch.perform(request)
    guard status == 200, let value = try? JSONDecoder().decode(type, from: data) else {
      throw ProviderFault(reason: "\(what): status \(status)")
    }
    return value
  }

  private static func form(_ fields: [(String, String)]) -> String {
    fields.map { "\($0)=\(encoded($1))" }.joined(separator: "&")
  }

  private static func encoded(_ text: String) -> String {
    let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }
}

extension Data {
  /// Reads base64 for URLs, without padding; nil for other text.
  fileprivate init?(base64URL text: some StringProtocol) {
    let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
    self.init(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4))
  }
}
#endif
