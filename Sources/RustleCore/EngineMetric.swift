/// A figure of a process with its samples, as Prometheus reads it: ``text(of:)``.
///
/// ```swift
/// let text = EngineMetric.text(of: EngineMetric.streams)
/// ```
///
/// ``streams`` has the counts of every engine's streams. A program that reports by another way, such as swift-metrics, reads the same
/// samples: counters never fall while the process runs.
public struct EngineMetric: Sendable, Hashable {
  /// What a value says.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A total since the start of the process.
    case counter
    /// A value of the moment.
    case gauge
  }

  /// A value with its labels.
  public struct Sample: Sendable, Hashable {
    /// A name and a value of a label.
    public struct Label: Sendable, Hashable {
      /// The name: letters, digits and `_`.
      public let name: String
      /// Any text.
      public let value: String

      /// Creates a label.
      public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    /// The labels, which differ between the samples of a metric.
    public let labels: [Label]
    /// The value. Totals from 2^53 on are rounded.
    public let value: Double

    /// Creates a sample.
    public init(_ value: Double, _ labels: [Label] = []) { (self.labels, self.value) = (labels, value) }

    /// Creates a sample of a count.
    public init(_ count: some BinaryInteger, _ labels: [Label] = []) { self.init(Double(count), labels) }
  }

  /// The name, with the unit of its values, and `_total` for a counter.
  public let name: String
  /// What its values say.
  public let kind: Kind
  /// What it counts, in one line.
  public let help: String
  /// The values.
  public let samples: [Sample]

  /// Creates a metric.
  public init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    (self.name, self.kind, self.help, self.samples) = (name, kind, help, samples)
  }

  /// Creates a metric with one value without labels.
  public init(_ name: String, _ kind: Kind, _ help: String, _ count: some BinaryInteger) {
    self.init(name, kind, help, [Sample(count)])
  }

  /// The media type of ``text(of:)``.
  public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// The text format of Prometheus, version 0.0.4.
  public static func text(of metrics: [Self]) -> String {
    var text = ""
    for metric in metrics where !metric.samples.isEmpty {
      text += "# HELP \(metric.name) \(escaped(metric.help, quotes: false))\n"
      text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
      for sample in metric.samples {
        let labels = sample.labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
        text += metric.name + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
        text += " \(number(sample.value))\n"
      }
    }
    return text
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func number(_ value: Double) -> String {
    if let whole = Int64(exactly: value) { return "\(whole)" }
    if value.isNaN { return "NaN" }
    return value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)"
  }
}

extension EngineMetric {
  /// The counts of the streams that this process has started, by engine and lane: started and ended sessions, how they ended, and the
  /// values that were produced, delivered and dropped, and that wait.
  public static var streams: [Self] {
    let lanes = LaneCounts.all.map { ($0, $0.values) }
    func metric(
      _ name: String, _ kind: Kind, _ help: String, _ value: (LaneCounts, LaneCounts.Values) -> some BinaryInteger
    ) -> Self {
      Self("rustle_\(name)", kind, help, lanes.map { Sample(value($0, $1), labels(of: $0)) })
    }
    let ends = lanes.flatMap { lane, _ in
      LaneCounts.End.allCases.map {
        Sample(lane.ended($0), labels(of: lane) + [.init("outcome", $0.rawValue)])
      }
    }
    return [
      metric("streams", .gauge, "Streams that run.") { lane, _ in lane.running },
      metric("streams_started_total", .counter, "Streams that were started, restarts included.") { lane, _ in
        lane.started
      },
      Self("rustle_streams_ended_total", .counter, "Streams that ended, by outcome.", ends),
      metric("values_produced_total", .counter, "Values that the engine produced.") { $1.produced },
      metric("values_delivered_total", .counter, "Values that the consumer received.") { $1.delivered },
      metric("values_dropped_total", .counter, "Values dropped because the consumer was too slow or had left.") {
        $1.dropped
      },
      metric("values_waiting", .gauge, "Values that wait for the consumer.") { $1.waiting },
    ]
  }

  private static func labels(of lane: LaneCounts) -> [Sample.Label] {
    [.init("engine", lane.engine), .init("lane", lane.lane)]
  }
}
