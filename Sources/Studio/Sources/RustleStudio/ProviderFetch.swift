#if OIDC
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import Synchronization

/// A request to a provider: one answer of bounded length in bounded time, and no redirection.
final class ProviderFetch: NSObject, URLSessionDataDelegate {
  /// Bytes of an answer at most.
  private static let maximumLength = 256 << 10
  /// Seconds without a byte, and for the whole answer.
  private static let (silence, deadline) = (5.0, 8.0)

  private struct State {
    var data = Data()
    var isTooLong = false
    var continuation: CheckedContinuation<(data: Data, status: Int), any Error>?
  }

  private let state = Mutex(State())

  /// The body and the status.
  static func perform(_ request: URLRequest) async throws -> (data: Data, status: Int) {
    let fetch = ProviderFetch()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = silence
    configuration.timeoutIntervalForResource = deadline
    let session = URLSession(configuration: configuration, delegate: fetch, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    return try await withCheckedThrowingContinuation { continuation in
      fetch.state.withLock { $0.continuation = continuation }
      session.dataTask(with: request).resume()
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLong = state.withLock { state in
      state.data.append(data)
      if state.data.count > Self.maximumLength { state.isTooLong = true }
      return state.isTooLong
    }
    if isTooLong { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
    let (continuation, data, isTooLong) = state.withLock { ($0.continuation.take(), $0.data, $0.isTooLong) }
    if error != nil || isTooLong {
      // The system's error may quote the address with its parameters.
      let reason = isTooLong ? "expected at most \(Self.maximumLength) bytes" : "expected an answer"
      continuation?.resume(throwing: ProviderFault(reason: reason))
    } else {
      continuation?.resume(returning: (data, status))
    }
  }
}

/// Why a provider's answer is not accepted.
struct ProviderFault: Error {
  let reason: String
}
#endif
