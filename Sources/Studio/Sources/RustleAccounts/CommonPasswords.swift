internal import Foundation

/// The most common passwords of 8 characters and more (ASVS 5.0, 6.2.4).
enum CommonPasswords {
  /// The bytes of SHA-256 by which a password is known: of a thousand million other ones less than one is taken for one of these.
  static let prefixLength = 6

  private static let all: Set<Data> = {
    guard let bytes = Data(base64Encoded: prefixes.replacing("\n", with: "")) else { return [] }
    return Set(
      stride(from: 0, to: bytes.count, by: prefixLength).map { bytes[$0..<($0 + prefixLength)] }.map { Data($0) })
  }()

  /// How many there are.
  static var count: Int { all.count }

  /// Whether a password in lower case is one of them.
  static func contains(_ password: String) -> Bool {
    all.contains(Data(Sodium.sha256(Data(password.utf8)).prefix(prefixLength)))
  }
}
