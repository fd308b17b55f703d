internal import Foundation

/// A provider of OpenID Connect by which people sign in.
public struct IdentityProvider: Sendable, Hashable, Decodable {
  /// How the client authenticates at the token endpoint (OpenID Connect Core 1.0, section 9).
  public enum Authentication: String, Sendable, Hashable, Decodable {
    /// In the header `Authorization`.
    case basic = "client_secret_basic"
    /// In the body.
    case post = "client_secret_post"
  }

  /// What people call it.
  public var name: String
  /// The issuer, as ID tokens name it.
  public var issuer: String
  /// The client's id.
  public var client: String
  /// The client's secret.
  public var secret: String
  /// What is asked for, besides `openid`.
  public var scopes: [String]
  /// The one algorithm of signatures that is accepted: RS256 or ES256.
  public var algorithm: String
  /// How the client authenticates.
  public var authentication: Authentication
  /// Where people are sent, where codes are exchanged, and where the keys are; nil: as the issuer's discovery document says.
  public var endpoints: Endpoints?

  /// The addresses of a provider.
  public struct Endpoints: Sendable, Hashable, Decodable {
    /// Where people are sent.
    public var authorization: String
    /// Where codes are exchanged.
    public var token: String
    /// Where the keys are.
    public var keys: String

    private enum CodingKeys: String, CodingKey {
      case authorization = "authorization_endpoint"
      case token = "token_endpoint"
      case keys = "jwks_uri"
    }
  }

  private enum CodingKeys: CodingKey {
    case name, issuer, client, secret, scopes, algorithm, authentication, endpoints
  }

  /// Reads a configuration; of what is left out the usual values.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    issuer = try values.decode(String.self, forKey: .issuer)
    client = try values.decode(String.self, forKey: .client)
    secret = try values.decode(String.self, forKey: .secret)
    scopes = try values.decodeIfPresent([String].self, forKey: .scopes) ?? ["email"]
    algorithm = try values.decodeIfPresent(String.self, forKey: .algorithm) ?? "RS256"
    authentication = try values.decodeIfPresent(Authentication.self, forKey: .authentication) ?? .basic
    endpoints = try values.decodeIfPresent(Endpoints.self, forKey: .endpoints)
    let addresses = [issuer] + (endpoints.map { [$0.authorization, $0.token, $0.keys] } ?? [])
    guard ["RS256", "ES256"].contains(algorithm), addresses.allSatisfy(Self.isProtected) else {
      throw AccountRefusal(
        .validation, "\(name): expected the algorithm RS256 or ES256, and addresses of https or of the loopback")
    }
  }

  /// Whether nobody on the way reads or changes what is sent to an address.
  public static func isProtected(_ address: String) -> Bool {
    guard let url = URL(string: address), let host = url.host() else { return false }
    return url.scheme == "https" || url.scheme == "http" && ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host)
  }
}

/// The claims of an ID token that are used (OpenID Connect Core 1.0, section 2).
public struct IDTokenClaims: Sendable, Hashable, Decodable {
  /// The seconds by which clocks may differ.
  public static let leeway = 60.0
  /// Characters of a subject at most (OpenID Connect Core 1.0, section 2).
  static let maximumSubjectLength = 255

  /// `iss`: the issuer's identifier, a URL.
  public var issuer: String
  /// `sub`: the user's identifier, unique at the issuer.
  public var subject: String
  /// `aud`: the clients that the token is for.
  public var audiences: [String]
  /// `azp`: the client that it was issued to.
  public var authorizedParty: String?
  /// `exp`: the time from which on it is invalid, in seconds since 1970.
  public var expires: Double
  /// `iat`: the time at which it was issued, in seconds since 1970.
  public var issued: Double
  /// `nonce`: the value of the request that it answers.
  public var nonce: String?
  /// `email`: the user's address.
  public var email: String?
  /// `email_verified`: whether the issuer has verified the address.
  public var isEmailVerified: Bool

  private enum CodingKeys: String, CodingKey {
    case iss, sub, aud, azp, exp, iat, nonce, email
    case verified = "email_verified"
  }

  /// Reads the claims; without one that is required it throws.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    issuer = try values.decode(String.self, forKey: .iss)
    subject = try values.decode(String.self, forKey: .sub)
    if let one = try? values.decode(String.self, forKey: .aud) {
      audiences = [one]
    } else {
      audiences = try values.decode([String].self, forKey: .aud)
    }
    authorizedParty = try values.decodeIfPresent(String.self, forKey: .azp)
    expires = try values.decode(Double.self, forKey: .exp)
    issued = try values.decode(Double.self, forKey: .iat)
    nonce = try values.decodeIfPresent(String.self, forKey: .nonce)
    email = try? values.decodeIfPresent(String.self, forKey: .email)
    // Some issuers send a text.
    isEmailVerified =
      (try? values.decode(Bool.self, forKey: .verified))
      ?? ((try? values.decode(String.self, forKey: .verified)) == "true")
  }

  /// Why they are not accepted (OpenID Connect Core 1.0, 3.1.3.7); nil: they are.
  ///
  /// - Parameter now: in seconds since 1970.
  public func fault(of provider: IdentityProvider, nonce expected: String, now: Double) -> String? {
    if issuer != provider.issuer { return "iss" }
    if !audiences.contains(provider.client) { return "aud" }
    if audiences.count > 1, authorizedParty == nil { return "azp" }
    if let authorizedParty, authorizedParty != provider.client { return "azp" }
    // Written so that a number that is none is refused.
    if !(expires > now - Self.leeway) { return "exp" }
    if !(abs(issued - now) <= Self.leeway) { return "iat" }
    guard let nonce, Sodium.isEqual(Data(nonce.utf8), Data(expected.utf8)) else { return "nonce" }
    let isPlain = subject.utf8.allSatisfy { (1..<128).contains($0) }
    if !isPlain || !(1...Self.maximumSubjectLength).contains(subject.utf8.count) { return "sub" }
    return nil
  }
}
