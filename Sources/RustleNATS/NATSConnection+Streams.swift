#if NATS
internal import Foundation
internal import RustleCore
internal import RustleMarket

/// What the server says of its streams.
extension NATSConnection {
  /// The stream that stores a subject.
  func stream(of subject: String, patience: Duration) throws(NATSFailure) -> String {
    struct Streams: Decodable { let streams: [String]? }
    // A subject of ours needs no escapes.
    let text = try request("$JS.API.STREAM.NAMES", "{\"subject\":\"\(subject)\"}", patience: patience)
    guard let name = try? JSONDecoder().decode(Streams.self, from: Data(text)).streams?.first else {
      throw NATSFailure("no stream has it")
    }
    return name
  }

  /// When the stream was made that stores a subject, as the server writes it.
  ///
  /// - Parameter patience: how long each of two answers is waited for.
  func creation(ofStreamOf subject: String, patience: Duration = defaultPatience) throws(NATSFailure) -> String {
    struct Information: Decodable { let created: String }
    let text = try request("$JS.API.STREAM.INFO.\(stream(of: subject, patience: patience))", patience: patience)
    do {
      return try JSONDecoder().decode(Information.self, from: Data(text)).created
    } catch {
      throw NATSFailure("expected a stream, got '\(String(decoding: text.prefix(80), as: UTF8.self))'")
    }
  }

  /// The settings of a stream.
  func settings(ofStream name: String, patience: Duration) throws(NATSFailure) -> StreamSettings {
    struct Information: Decodable {
      struct Settings: Decodable {
        let subjects: [String]?
        let maxAge: Int64
        let maxMsgsPerSubject: Int
        let numReplicas: Int
      }
      let config: Settings
    }
    let text = try request("$JS.API.STREAM.INFO.\(name)", patience: patience)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let found = try? decoder.decode(Information.self, from: Data(text)).config else {
      throw NATSFailure("expected a stream, got '\(String(decoding: text.prefix(80), as: UTF8.self))'")
    }
    return StreamSettings(
      subject: (found.subjects ?? []).joined(separator: ","),
      messagesPerSubject: found.maxMsgsPerSubject == 0 ? -1 : found.maxMsgsPerSubject,
      age: .nanoseconds(found.maxAge), replicas: found.numReplicas)
  }
}
#endif
