internal import Foundation

/// What an address and a new password must be.
enum AccountRules {
  /// Characters of a password at least (ASVS 5.0, 6.2.1). No kinds of characters are demanded (6.2.5).
  static let minimumPasswordLength = 8
  /// Bytes of a password at most, in UTF-8 and normalized (6.2.9 demands 64 characters).
  static let maximumPasswordLength = 1_024
  /// Bytes of an address at most (RFC 5321, 4.5.3.1.3, without its brackets).
  static let maximumAddressLength = 254

  /// The address without spaces around it.
  ///
  /// - Throws: ``AccountRefusal`` of the code `validation`.
  static func address(_ text: String) throws -> String {
    let address = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let parts = address.split(separator: "@", omittingEmptySubsequences: false)
    let isPlain = address.unicodeScalars.allSatisfy {
      $0.value > 32 && $0.value != 127 && !"<>,;:\"()[]\\".unicodeScalars.contains($0)
    }
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), isPlain, address.utf8.count <= maximumAddressLength
    else {
      throw AccountRefusal(.validation, "email: expected an address such as name@example.org", field: "email")
    }
    return address
  }

  /// Checks a new password of the account of an address.
  ///
  /// - Throws: ``AccountRefusal`` of the code `validation`.
  static func check(password: String, address: String) throws {
    func refuse(_ expectation: String) -> AccountRefusal {
      AccountRefusal(.validation, "password: expected \(expectation)", field: "password")
    }
    let password = password.normalized
    guard password.unicodeScalars.count >= minimumPasswordLength else {
      throw refuse("at least \(minimumPasswordLength) characters")
    }
    guard password.utf8.count <= maximumPasswordLength else {
      throw refuse("at most \(maximumPasswordLength) bytes of UTF-8")
    }
    let lower = password.lowercased()
    let own = [address.lowercased(), address.lowercased().split(separator: "@").first.map(String.init) ?? ""]
    guard !own.contains(lower) else { throw refuse("another text than the address") }
    guard !CommonPasswords.contains(lower) else { throw refuse("a password that is not among the most common ones") }
  }
}
