internal import CRustle

/// Reads the records of a receiver's streams.
package typealias DmxReceiverReader<Native: NativeElement, Value: Sendable> = ElementReader<Native, Value>

extension NativeDmxReceiver {
  borrowing func start<Native: RecordElement, Value: Sendable>(
    _ lanes: NativeLanes<Native>, _ request: some NativeRecord, _ reader: ElementReader<Native, Value>
  ) throws(NativeError) -> EngineStream<Value> {
    try lanes.startPulling(on: handle.raw, request) { _, values, buffer in reader.append(values, &buffer) }
  }

  /// Returns the counts since the sockets were opened.
  package borrowing func counts() throws(NativeError) -> NativeDMXReceiverCounts {
    try NativeCalls.dmxReceiverCounts(handle.raw)
  }

  /// Returns the counts of a universe since the sockets were opened.
  package borrowing func counts(
    of universe: Int, _ kind: NativeDMXProtocol
  ) throws(NativeError) -> NativeDMXUniverseCounts {
    try NativeCalls.dmxReceiverUniverse(handle.raw, kind: kind, universe: universe)
  }
}

extension NativeDmxNodes {
  /// Returns the counts since the socket was opened.
  package borrowing func counts() throws(NativeError) -> NativeDMXNodesCounts {
    try NativeCalls.dmxNodesCounts(handle.raw)
  }
}
