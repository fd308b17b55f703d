public import RustleCore

extension DMXReport {
  /// The reports of senders for Prometheus, with the label `output`.
  ///
  /// - Parameter reports: the senders' names, each once, and their reports.
  public static func metrics(of reports: [(name: String, report: DMXReport)]) -> [EngineMetric] {
    func metric(
      _ name: String, _ kind: EngineMetric.Kind, _ help: String, _ value: (DMXReport) -> Double
    ) -> EngineMetric {
      EngineMetric(
        "rustle_dmx_\(name)", kind, help,
        reports.map { EngineMetric.Sample(value($0.report), [.init("output", $0.name)]) })
    }
    return [
      metric("frames_total", .counter, "Frames, whether or not a packet was due.") { Double($0.frames) },
      metric("skipped_frames_total", .counter, "Frames skipped because the thread was late.") {
        Double($0.skippedFrames)
      },
      metric("packets_total", .counter, "Packets with levels or priorities.") { Double($0.packets) },
      metric("datagrams_total", .counter, "Datagrams that the system accepted.") { Double($0.datagrams) },
      metric("sent_bytes_total", .counter, "Bytes of datagrams.") { Double($0.bytes) },
      metric("refusals_total", .counter, "Datagrams that the system or a destination refused.") {
        Double($0.refusals)
      },
      metric("universes", .gauge, "Universes that are sent, ending ones included.") { Double($0.universes) },
      metric("longest_lateness_seconds", .gauge, "How late the thread woke for a frame at most.") {
        $0.longestLateness / .seconds(1)
      },
    ]
  }
}
