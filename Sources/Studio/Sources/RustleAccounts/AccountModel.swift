public import Foundation

/// A person's account.
public struct Account: Sendable, Hashable {
  /// 16 random bytes.
  public let id: Data
  /// As typed, without spaces around it.
  public let address: String
  /// The PHC string of the password; nil: the account has none.
  var password: String?
  /// In seconds since 1970, as all times here.
  public let created: Int64
  /// Counts the passwords that were set: a hash of another cost is of the same one.
  var generation: Int64 = 0
  /// Whether its owner reads mails of the address: a provider says so, or a mailed link was used.
  public var isVerified = false
  /// Whether a provider made it without a verified address: the address is a label, and who reads mails of it may be anybody.
  var isLabelled = false
  /// Whether nobody signs in to it, until who runs the server enables it again.
  public var isDisabled = false

  /// What its pages and messages call it as long as it is there: nobody signs in with it.
  public var handle: String { id.hexadecimal }

  /// Whether its address is one of its owner's. A label stays one when the account gets a password.
  var hasAddress: Bool { !isLabelled || isVerified }

  /// Whether it can be signed in to without a provider.
  public var hasPassword: Bool { password != nil }
}

/// Somebody as a provider of OpenID Connect knows them. Its address of e-mail may change and is no key.
public struct Identity: Sendable, Hashable {
  /// Who knows them.
  public let issuer: String
  /// Whom, among those of the issuer.
  public let subject: String

  /// Somebody of an issuer.
  public init(issuer: String, subject: String) { (self.issuer, self.subject) = (issuer, subject) }
}

/// A sign-in of one device.
public struct DeviceSession: Sendable, Hashable {
  /// SHA-256 of the token, which is stored nowhere.
  let hash: Data
  /// The account's id.
  public let account: Data
  /// When it began.
  public let created: Int64
  /// When it was used last, to the minute.
  public let seen: Int64
  /// When it ends however it is used.
  public let expires: Int64
  /// What the browser calls itself.
  public let agent: String
  /// The network of the client.
  public let network: String

  /// What the session is called by its owner: a part of the hash, with which nobody signs in.
  public var id: String { hash.prefix(8).hexadecimal }
}

/// A named value of an account, at a revision.
public struct Setting: Sendable, Hashable {
  /// `eq` and the like.
  public let name: String
  /// Counts the accepted values, from 0: none yet.
  public let revision: Int64
  /// Nil: none yet, or deleted.
  public let value: Data?
  /// The device that saved it, as it calls itself.
  public let device: String
  /// When it was saved; 0: never.
  public let changed: Int64

  init(name: String, revision: Int64 = 0, value: Data? = nil, device: String = "", changed: Int64 = 0) {
    (self.name, self.revision, self.value) = (name, revision, value)
    (self.device, self.changed) = (device, changed)
  }
}

/// What happened to an account.
public struct AuditEntry: Sendable, Hashable {
  /// In seconds since 1970.
  public let at: Int64
  /// Such as `login`.
  public let what: String
  /// The network it came from; `terminal` for the command.
  public let from: String
}

/// Who asks.
public struct AccountClient: Sendable, Hashable {
  /// The network: an IPv4 address, or the first 64 bits of an IPv6 address.
  public let network: String
  /// What the browser calls itself, at most 200 characters.
  public let agent: String

  /// - Parameters:
  ///   - address: the IP address.
  ///   - agent: `User-Agent`.
  public init(address: String, agent: String) {
    network = Self.network(of: address)
    self.agent = String(agent.unicodeScalars.filter { $0.value >= 32 }.prefix(200).map(Character.init))
  }

  /// The network of an address: households have one IPv4 address, or 64 bits of IPv6.
  static func network(of address: String) -> String {
    let address = address.lowercased()
    guard address.contains(":") else { return address }
    if address.hasPrefix("::ffff:"), address.contains(".") { return String(address.dropFirst("::ffff:".count)) }
    let bare = address.prefix { $0 != "%" }
    var groups = bare.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    if let gap = bare.range(of: "::") {
      let before = bare[..<gap.lowerBound].split(separator: ":").map(String.init)
      let after = bare[gap.upperBound...].split(separator: ":").map(String.init)
      groups = before + Array(repeating: "0", count: max(0, 8 - before.count - after.count)) + after
    }
    let values = groups.prefix(4).map { String(UInt16($0, radix: 16) ?? 0, radix: 16) }
    return values.joined(separator: ":") + "::/64"
  }
}

extension Data {
  /// Two lower-case digits for each byte.
  var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Base64 for URLs, without padding.
  var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Reads pairs of digits; nil for other text.
  init?(hexadecimal text: String) {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[place..<(place + 2)], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    self.init(bytes)
  }
}
