internal import CWeb
internal import RustleMarket
internal import StudioCore

extension Studio {
  /// The counts for Prometheus: of the server, and of every engine's streams.
  var metrics: [EngineMetric] {
    let (counts, topics) = (hub.counts, hub.topics)
    return [
      EngineMetric("rustle_studio_clients", .gauge, "Clients at present.", hub.clients.count),
      EngineMetric("rustle_studio_connections_total", .counter, "Clients connected.", counts.connections),
      EngineMetric("rustle_studio_values_total", .counter, "Values published.", counts.frames),
      EngineMetric("rustle_studio_sent_bytes_total", .counter, "Bytes sent to clients.", counts.bytes),
      EngineMetric(
        "rustle_studio_lost_values_total", .counter, "Values dropped because clients were too slow.", counts.lost),
      EngineMetric("rustle_studio_heap_bytes", .gauge, "Memory of the heap in use.", rustle_web_heap_length()),
      EngineMetric(
        "rustle_studio_engine_running", .gauge, "Whether an engine runs.",
        engines.map { EngineMetric.Sample($0.isRunning ? 1 : 0, [.init("engine", $0.name)]) }),
      EngineMetric(
        "rustle_studio_topic_subscribed", .gauge, "Whether a client reads a topic.",
        Topic.allCases.map { EngineMetric.Sample(topics.contains($0) ? 1 : 0, [.init("topic", $0.name)]) }),
    ] + EngineMetric.streams
  }
}
