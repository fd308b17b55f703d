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
