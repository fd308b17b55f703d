/// Records with a time to live, by keys, that one of several processes replaces: each write names the revision that it replaces, so that
/// of two that compete one is refused.
///
/// A record that is not written again within ``timeToLive`` is gone. Revisions of a store grow: the revision with which a holder began
/// is a fencing token, above those of all holders before.
public protocol LeaseStore: Sendable {
  /// How long a record lasts after it was written.
  var timeToLive: Duration { get async throws }

  /// Reads a record; nil: there is none.
  ///
  /// - Throws: the store does not answer.
  func record(of key: String) async throws -> LeaseRecord?

  /// Writes a record in place of the one with a revision, 0 for none, and returns its revision.
  ///
  /// - Throws: the store has another revision, or does not answer; the record may be written then, or later.
  func write(_ text: String, to key: String, replacing revision: UInt64) async throws -> UInt64
}

/// A record of a ``LeaseStore``.
public struct LeaseRecord: Sendable, Hashable {
  /// The text.
  public let text: String
  /// The revision, from 1.
  public let revision: UInt64

  /// Creates a record.
  public init(_ text: String, revision: UInt64) { (self.text, self.revision) = (text, revision) }
}
