import Foundation
import RustleCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests to a studio's server, by a session of its own: no cookies are kept, and no redirection is followed.
final class AccountServer: GainTransport {
  struct Answer: Sendable {
    let response: HTTPURLResponse
    let body: Data

    /// The cookie of a session that the answer sets, as `name=value`. The name has the port that the server knows itself by, and a prefix
    /// over https.
    var sessionCookie: String? {
      let header = response.value(forHTTPHeaderField: "Set-Cookie") ?? ""
      let pattern = /(?:^|[, ])((?:__Host-)?rustle_session(?:_[0-9]+)?=[^;, ]+)/
      return header.firstMatch(of: pattern).map { String($0.1) }
    }
  }

  /// A revision as the server writes it.
  private struct Wire: Codable {
    var rev: Int64
    var bands: [Float]?
    var device: String?
  }

  private struct Failure: Decodable {
    struct Error: Decodable { let code, message: String }
    let error: Error
  }

  /// The longest silence in seconds: the server sends a comment every 15 s.
  static let silence = 45.0
  private static let maximumLength = 64 << 10

  static let malformed = AccountError(
    .response, "expected an answer of a studio with accounts",
    advice: "Check the address and the version of the server.")

  private let base: URL
  private let cookies: String
  private let receiver = Receiver()
  private let session: URLSession

  /// - Parameters:
  ///   - cookie: that of the account's session; nil: none.
  ///   - silence: the longest one, in seconds.
  init(_ server: URL, cookie: String?, silence: Double = silence) {
    var parts = URLComponents(url: server, resolvingAgainstBaseURL: true) ?? URLComponents()
    let access = parts.queryItems?.first { $0.name == "token" }?.value
    (parts.query, parts.fragment, parts.path) = (nil, nil, "/")
    base = parts.url ?? server
    let port = parts.port.map { "_\($0)" } ?? ""
    cookies = [access.map { "rustle_token\(port)=\($0)" }, cookie].compactMap(\.self).joined(separator: "; ")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.timeoutIntervalForRequest = silence
    session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
  }

  deinit { session.invalidateAndCancel() }

  /// The answer to a request; of an error that of the server.
  func ask(_ method: String, _ path: String, _ body: (some Encodable & Sendable)? = Int?.none)
    async throws(AccountError) -> Answer
  {
    let answer = try await exchange(method, path, body)
    try Self.check(answer)
    return answer
  }

  func save(_ gains: EqualizerGains, base: Int64) async throws(AccountError) -> SaveAnswer {
    let answer = try await exchange("PUT", "api/eq", Wire(rev: base, bands: gains.numbers))
    if answer.response.statusCode == 409 { return .conflict(try Self.saved(answer.body)) }
    try Self.check(answer)
    guard let wire = try? JSONDecoder().decode(Wire.self, from: answer.body) else { throw Self.malformed }
    return .saved(wire.rev)
  }

  func revisions() -> AsyncThrowingStream<SavedGains, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let reading = Task {
        do {
          // A stream that has to connect keeps a processor busy on Linux, where Foundation goes on waiting for room to write: of a connection
          // that is there nothing waits for that.
          _ = try await ask("GET", "api/eq")
          var head: HTTPURLResponse?
          var (line, data, isLast) = (Data(), Data(), false)
          for try await part in parts(of: try request("GET", "api/eq/events", Int?.none)) {
            switch part {
            case .head(let response): head = response
            case .bytes(let bytes) where head?.statusCode != 200: data += bytes
            case .bytes(let bytes):
              for byte in bytes {
                guard byte == UInt8(ascii: "\n") else {
                  line.append(byte)
                  if line.count > Self.maximumLength { throw Self.malformed }
                  continue
                }
                if line.isEmpty, !data.isEmpty {
                  continuation.yield(try Self.saved(data))
                  data = Data()
                } else if line.starts(with: Data("data: ".utf8)) {
                  data += line.dropFirst(6)
                }
                line = Data()
              }
            }
            isLast = data.count > Self.maximumLength
            if isLast { throw Self.malformed }
          }
          if let head, head.statusCode != 200 { try Self.check(Answer(response: head, body: data)) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error as? AccountError ?? .unreachable(Self.reason(error)))
        }
      }
      continuation.onTermination = { _ in reading.cancel() }
    }
  }

  /// The revision in an answer.
  static func saved(_ body: Data) throws(AccountError) -> SavedGains {
    guard let wire = try? JSONDecoder().decode(Wire.self, from: body), let numbers = wire.bands,
      let gains = EqualizerGains(numbers: numbers)
    else { throw malformed }
    return SavedGains(revision: wire.rev, gains: gains)
  }

  /// Throws what an answer refuses. The server's own token and an account's session are both answered by 401.
  static func check(_ answer: Answer) throws(AccountError) {
    let status = answer.response.statusCode
    guard !(200..<300).contains(status) else { return }
    guard let failure = (try? JSONDecoder().decode(Failure.self, from: answer.body))?.error else {
      // A proxy speaks for itself while it does not reach the studio.
      if status == 429 || status >= 500 { throw .unreachable("a proxy's status \(status)") }
      throw malformed
    }
    if status == 401, failure.code != "refused" { throw .signedOut }
    if status == 429 || status >= 500 {
      let wait = answer.response.value(forHTTPHeaderField: "Retry-After").map { "after \($0) s" } ?? "later"
      throw AccountError(.limited, failure.message, advice: "Try again \(wait).")
    }
    throw AccountError(
      [400, 413].contains(status) ? .validation : .refused, failure.message,
      advice: "Check the address that the server printed.")
  }

  private func exchange(_ method: String, _ path: String, _ body: (some Encodable & Sendable)?)
    async throws(AccountError) -> Answer
  {
    do {
      var (head, data) = (HTTPURLResponse?.none, Data())
      for try await part in parts(of: try request(method, path, body)) {
        switch part {
        case .head(let response): head = response
        case .bytes(let bytes): data += bytes
        }
        if data.count > Self.maximumLength { throw Self.malformed }
      }
      guard let head else { throw AccountError.unreachable("none") }
      return Answer(response: head, body: data)
    } catch {
      throw error as? AccountError ?? .unreachable(Self.reason(error))
    }
  }

  private static func reason(_ error: any Error) -> String { error.localizedDescription }

  private func request(_ method: String, _ path: String, _ body: (some Encodable)?) throws -> URLRequest {
    var request = URLRequest(url: base.appending(path: path))
    request.httpMethod = method
    if !cookies.isEmpty { request.setValue(cookies, forHTTPHeaderField: "Cookie") }
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try JSONEncoder().encode(body)
    }
    return request
  }

  private func parts(of request: URLRequest) -> AsyncThrowingStream<Receiver.Part, any Error> {
    AsyncThrowingStream { continuation in
      let task = session.dataTask(with: request)
      receiver.follow(task, continuation)
      continuation.onTermination = { _ in task.cancel() }
      task.resume()
    }
  }
}

/// Passes what arrives to the stream of its request.
private final class Receiver: NSObject, URLSessionDataDelegate {
  enum Part: Sendable {
    case head(HTTPURLResponse)
    case bytes(Data)
  }

  typealias Continuation = AsyncThrowingStream<Part, any Error>.Continuation

  private let continuations = SeenMutex<[Int: Continuation]>([:])

  func follow(_ task: URLSessionTask, _ continuation: Continuation) {
    continuations.withLock { $0[task.taskIdentifier] = continuation }
  }

  private func continuation(_ task: URLSessionTask) -> Continuation? {
    continuations.withLock { $0[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse { continuation(dataTask)?.yield(.head(response)) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    continuation(dataTask)?.yield(.bytes(data))
  }

  // The token would go to whoever the answer names.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    continuations.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.finish(throwing: error)
  }
}
