internal import CSodium
internal import Foundation

/// The functions of libsodium that accounts need. No other file calls the library.
enum Sodium {
  /// The cost of a password's hash.
  struct Cost: Sendable, Hashable {
    /// The memory in KiB, 8 or more.
    var memory: Int
    /// The passes over it, 1 or more.
    var passes: Int
  }

  /// libsodium chooses its implementations once, before anything else.
  private static let isReady = sodium_init() >= 0

  private static func prepare() { precondition(isReady, "expected libsodium to find a source of random numbers") }

  /// Random bytes of the system.
  static func random(_ count: Int) -> Data {
    prepare()
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe randombytes_buf(&bytes, count)
    return Data(bytes)
  }

  static func sha256(_ data: Data) -> Data {
    prepare()
    let bytes = [UInt8](data)
    var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    _ = unsafe crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
    return Data(hash)
  }

  /// Compares in a time that does not depend on where they differ.
  static func isEqual(_ left: Data, _ right: Data) -> Bool {
    prepare()
    guard left.count == right.count else { return false }
    let (left, right) = ([UInt8](left), [UInt8](right))
    return unsafe sodium_memcmp(left, right, left.count) == 0
  }

  /// The message's authentication code (HMAC-SHA-512-256) by a key of 32 bytes.
  static func authenticationCode(of message: [UInt8], key: Data) -> [UInt8] {
    prepare()
    precondition(key.count == Int(crypto_auth_KEYBYTES), "expected a key of 32 bytes")
    var code = [UInt8](repeating: 0, count: Int(crypto_auth_BYTES))
    _ = unsafe crypto_auth(&code, message, UInt64(message.count), [UInt8](key))
    return code
  }

  /// The Argon2id hash in the PHC string format, with a random salt of 16 bytes; nil without the memory for it.
  static func passwordHash(_ password: [UInt8], cost: Cost) -> String? {
    prepare()
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
    let status = unsafe crypto_pwhash_str_alg(
      &text, password.map { CChar(bitPattern: $0) }, UInt64(password.count), UInt64(cost.passes), cost.memory << 10,
      crypto_pwhash_ALG_ARGON2ID13)
    guard status == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether the hash is the password's. Its own parameters say what it costs.
  static func isPassword(_ password: [UInt8], of hash: String) -> Bool {
    prepare()
    // The library reads a buffer of this length.
    guard hash.utf8.count < Int(crypto_pwhash_STRBYTES) else { return false }
    return unsafe crypto_pwhash_str_verify(
      hash, password.map { CChar(bitPattern: $0) }, UInt64(password.count)) == 0
  }

  /// Whether the hash has another cost than this one.
  static func needsRehash(_ hash: String, cost: Cost) -> Bool {
    prepare()
    guard hash.utf8.count < Int(crypto_pwhash_STRBYTES) else { return true }
    return unsafe crypto_pwhash_str_needs_rehash(hash, UInt64(cost.passes), cost.memory << 10) != 0
  }
}
