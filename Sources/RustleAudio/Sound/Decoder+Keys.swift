/// Any key of an object.
private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Decoder {
  /// Refuses an unknown key: a misspelt one is not ignored.
  ///
  /// - Parameters:
  ///   - known: the keys of the object.
  ///   - object: the object's name in the error.
  /// - Throws: ``AudioError`` for the first other key in alphabetical order; `DecodingError` for a value that is not an object.
  func refuseKeys(otherThan known: [String], of object: String) throws {
    let keys = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
    guard let other = keys.filter({ !known.contains($0) }).min() else { return }
    throw AudioError.validation(
      object, expected: "only \(known.joined(separator: ", "))", got: String(other.prefix(40)).debugDescription,
      advice: "Correct the key, or leave it out.")
  }
}
