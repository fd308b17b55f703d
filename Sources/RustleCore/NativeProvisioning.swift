/// Reads the records of a radio's tasks.
package typealias NodeRadioReader<Native: NativeElement, Value: Sendable> = ElementReader<Native, Value>

extension NativeNodeRadio {
  borrowing func start<Native: RecordElement, Value: Sendable>(
    _ lanes: NativeLanes<Native>, _ request: some NativeRecord, _ reader: ElementReader<Native, Value>
  ) throws(NativeError) -> EngineStream<Value> {
    try lanes.startPulling(on: handle.raw, request) { _, values, buffer in reader.append(values, &buffer) }
  }
}

/// In place of the flag of a node that has none.
package let nativeNodeNoFlag = 256
/// In place of a universe or a start address that was not read.
package let nativeNodeNoNumber = 65_536
/// In place of a signal that is not known.
package let nativeNodeNoSignal = 127

extension NativeNodeRadio {
  /// Takes what the program's radio reports to a client.
  package borrowing func report(_ event: NativeNodeEvent, bytes: [UInt8]) throws(NativeError) {
    try NativeCalls.nodeRadioReport(handle.raw, event: event, bytes: bytes.span)
  }

  /// Takes the value of a write; of one that is void it throws.
  package borrowing func value(client: Int, token: Int) throws(NativeError) -> [UInt8] {
    var value = [UInt8](repeating: 0, count: 64)
    var room = value.mutableSpan
    let length = try NativeCalls.nodeRadioValue(handle.raw, client: client, token: token, value: &room)
    guard length <= value.count else {
      throw NativeError(status: .wrongState, message: "expected a write that waits for its value, got one that is void")
    }
    value.removeSubrange(length...)
    return value
  }
}
