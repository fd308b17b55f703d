internal import Foundation

extension Data {
  /// The most bytes of a JSON document that is read.
  static let maximumJSONLength = 1 << 20

  /// Decodes the bytes, a JSON document in UTF-8.
  ///
  /// - Parameter document: the document's name in errors: `preset`.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the place: a value that is missing, of another type or
  ///   out of range, and text that is not JSON.
  func decoded<Value: Decodable>(as document: String) throws(AudioError) -> Value {
    guard count <= Self.maximumJSONLength else {
      throw .validation(
        document, expected: "at most \(Self.maximumJSONLength) bytes", got: "\(count)",
        advice: "Pass a file that holds one \(document).")
    }
    do {
      return try JSONDecoder().decode(Value.self, from: self)
    } catch let error as AudioError {
      throw error
    } catch let error as DecodingError {
      throw .unreadable(error, document)
    } catch {
      throw .validation(document, expected: "JSON", got: "\(error)", advice: "Pass \(document) as JSON.")
    }
  }
}

extension AudioError {
  /// A path into JSON, for example `left band 3: gain_db` or `strings 2`; the document's name for the whole.
  static func location(_ path: [any CodingKey], in document: String) -> String {
    var text = ""
    for key in path {
      if let index = key.intValue {
        text += text == "left" || text == "right" ? " band \(index + 1)" : " \(index + 1)"
      } else {
        text += (text.isEmpty ? "" : ": ") + key.stringValue
      }
    }
    return text.isEmpty ? document : text
  }

  /// The error of a decoder as one sentence with its place.
  fileprivate static func unreadable(_ error: DecodingError, _ document: String) -> Self {
    func fault(_ path: [any CodingKey], _ expected: String, _ got: String) -> Self {
      .validation(location(path, in: document), expected: expected, got: got, advice: "Correct the \(document) there.")
    }
    switch error {
    case .keyNotFound(let key, let context): return fault(context.codingPath + [key], "a value", "none")
    case .valueNotFound(let type, let context): return fault(context.codingPath, name(of: type), "null")
    case .typeMismatch(let type, let context): return fault(context.codingPath, name(of: type), "another type")
    case .dataCorrupted(let context) where context.codingPath.last?.stringValue == "kind":
      let kinds = EqualizerBand.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      return fault(context.codingPath, "one of \(kinds)", "another word")
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      return fault(context.codingPath, "a number within its range", "another")
    default:
      return .validation(
        document, expected: "JSON whose numbers are finite", got: "text that is not",
        advice: "Pass the \(document) as JSON.")
    }
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is Double.Type: "a number"
    case is Int.Type: "a whole number"
    case is String.Type: "a text"
    case is [EqualizerBand].Type, is [InstrumentString].Type, is [Double].Type, is [Any].Type: "a list"
    default: "an object"
    }
  }
}

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
