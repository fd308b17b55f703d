public import RustleCore

extension FeedCounts {
  /// The counts for Prometheus.
  public var metrics: [EngineMetric] {
    [
      EngineMetric("rustle_feed_read_bytes_total", .counter, "Bytes read from the source.", bytes),
      EngineMetric("rustle_feed_messages_total", .counter, "Lines or messages read.", messages),
      EngineMetric(
        "rustle_feed_trades_total", .counter, "Trades passed to the streams; each lane counts drops.", trades),
      EngineMetric("rustle_feed_malformed_total", .counter, "Malformed messages.", malformed),
      EngineMetric("rustle_feed_oversized_total", .counter, "Messages longer than the limit.", oversized),
      EngineMetric("rustle_feed_sequence_gaps_total", .counter, "Sequence gaps.", gaps),
      EngineMetric(
        "rustle_feed_missing_total", .counter, "Sequence numbers in gaps, late ones included.", sequenceNumbersInGaps),
      EngineMetric("rustle_feed_duplicates_total", .counter, "Trades left out because they came twice.", duplicates),
      EngineMetric("rustle_feed_out_of_order_total", .counter, "Trades out of order.", outOfOrder),
      EngineMetric("rustle_feed_connections_total", .counter, "Connections made, the first included.", connections),
      EngineMetric("rustle_feed_disconnections_total", .counter, "Connections lost or refused.", disconnections),
      EngineMetric("rustle_feed_dropped_total", .counter, "Messages dropped as read too slowly, or late.", dropped),
    ]
  }
}

extension ServerCounts {
  /// The counts for Prometheus.
  public var metrics: [EngineMetric] {
    [
      EngineMetric("rustle_server_clients", .gauge, "Clients at present.", clients),
      EngineMetric("rustle_server_accepted_total", .counter, "Clients accepted.", accepted),
      EngineMetric("rustle_server_refused_total", .counter, "Clients refused.", refused),
      EngineMetric("rustle_server_sent_bytes_total", .counter, "Bytes written to clients.", bytes),
      EngineMetric("rustle_server_trades_total", .counter, "Trades written to clients.", trades),
      EngineMetric(
        "rustle_server_dropped_total", .counter, "Trades dropped because clients were too slow.", dropped),
    ]
  }
}
