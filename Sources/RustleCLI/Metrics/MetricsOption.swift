internal import ArgumentParser
import Foundation
import RustleCore

/// An endpoint with the metrics of a run.
struct MetricsOption: ParsableArguments {
  @Option(
    "Serve metrics for Prometheus at http://host:port/metrics (port 0: a free one), open to whoever reaches it: the counts of every engine and lane.",
    value: "host:port", parse: MetricsAddress.parse)
  var metrics: MetricsAddress?

  func validate() throws {
    #if !WebSocket
    try Parse.reject((metrics != nil, "--metrics: this command was built without the trait WebSocket"))
    #endif
  }
}

extension RunTasks {
  /// Adds the endpoint of a run; nil: none. Its address is noted once it listens.
  ///
  /// - Parameters:
  ///   - note: receives the note; nil: a live view hides it.
  ///   - further: makes what follows the counts of all streams.
  mutating func addMetrics(
    at address: MetricsAddress?, note: ((String) -> Void)?,
    _ further: @escaping @Sendable () async -> [EngineMetric]
  ) async throws {
    #if WebSocket
    guard let address else { return }
    guard note != nil || address.port != 0 else {
      throw CommandFailure(
        .usage, "--metrics: expected a port, got 0: a live view does not show the one that is chosen",
        advice: "Name a port, or add --json.")
    }
    let endpoint = try await MetricsEndpoint(address)
    note?("metrics at \(endpoint.url)")
    addTask {
      try await endpoint.run { EngineMetric.text(of: EngineMetric.streams + (await further())) }
      return nil
    }
    #endif
  }
}

/// The host and the port of an endpoint.
struct MetricsAddress: Sendable, Hashable {
  /// A name or an address; one of IPv6 without brackets.
  let host: String
  let port: Int

  /// Reads `127.0.0.1:9100` or `[::1]:9100`.
  init?(_ text: String) {
    guard let match = text.wholeMatch(of: /(\[[^\[\]]+\]|[^\[\]:\/]+):([0-9]{1,5})/), let port = UInt16(match.2) else {
      return nil
    }
    (host, self.port) = (match.1.trimmingCharacters(in: ["[", "]"]), Int(port))
  }

  static let parse = Parse.value("host:port such as 127.0.0.1:9100", Self.init)

  /// Whether a header Host, with or without a port, has this host, or is the machine itself.
  func isNamed(_ header: String) -> Bool {
    let name = header.lowercased().replacing(/:[0-9]{1,5}$/, with: "")
    return name.wholeMatch(of: /localhost\.?|127(\.[0-9]{1,3}){3}|\[::1\]/) != nil
      || name == (host.contains(":") ? "[\(host)]" : host).lowercased()
  }

  /// As it stands in a URL.
  func text(port: Int) -> String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
