public import Foundation

extension Tuning {
  /// Reads a tuning as ``init(from:)`` does: `{"reference_hz": 442, "temperament": "werckmeisterIII", "tonic": "D"}`.
  ///
  /// - Parameter json: UTF-8, at most 1 MiB.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the place: an unknown key, a value of another type or out
  ///   of range, and text that is not JSON.
  public init(json: Data) throws(AudioError) { self = try json.decoded(as: "tuning") }
}

extension Instrument {
  /// Reads an instrument as ``init(from:)`` does: `{"name": "Drop D", "strings": ["D2", "A2", "D3", "G3", "B3", "E4"]}`.
  ///
  /// - Parameter json: UTF-8, at most 1 MiB.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the place, as ``Tuning/init(json:)``.
  public init(json: Data) throws(AudioError) { self = try json.decoded(as: "instrument") }
}
