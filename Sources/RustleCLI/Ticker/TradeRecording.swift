import Foundation
import RustleMarket

/// A file of trades, one JSON object a line, that `--replay` reads back identically.
///
/// It stands in its place from the first trade on and grows by whole lines, so that a run that is killed leaves what came before.
/// Until then what was there before stays.
actor TradeRecording {
  private let file: NewFile
  /// The file, which is in its place; nil before the first trade.
  private var handle: FileHandle?
  private var lines: TickerTables
  private var text = ByteText()
  /// Trades in the file.
  private(set) var count: UInt64 = 0
  /// Trades that came too fast for it.
  private(set) var lost: UInt64 = 0
  /// Bytes of whole lines.
  private var size: UInt64 = 0

  /// - Throws: `CommandFailure` for a file that is there and may not be replaced, and for a folder that cannot be written to.
  init(_ record: TickerPlan.Record) throws {
    if let input = record.input {
      try OutputPath.check(record.path, option: "--record", isNot: input)
    } else {
      try OutputPath.check(record.path, option: "--record")
    }
    file = try NewFile(record.path, mayReplace: record.mayReplace)
    // A profile is for people; JSON has none.
    lines = TickerTables(format: .ndjson, profile: .standardOutput(isASCIIAskedFor: true))
  }

  /// Writes a stream to its end.
  func follow(_ stream: EngineStream<Trade>) async throws {
    for await batch in stream.batches() { try write(batch) }
  }

  func write(_ batch: [StreamElement<Trade>]) throws {
    text.removeAll()
    var trades: UInt64 = 0
    for element in batch {
      switch element {
      case .value(let trade):
        // Of trades with numbers these tell it.
        if trade.sequence == nil, trade.sequenceGap > 0 { text.append(lines.gap(trade.sequenceGap)) }
        lines.append(element, to: &text)
        trades += 1
      case .gap(let gap): lost += gap
      }
    }
    if trades == 0 { return }
    if let handle {
      do {
        try handle.write(contentsOf: Data(text.bytes))
      } catch {
        // Whole lines alone stay.
        try? handle.truncate(atOffset: size)
        throw failure(error)
      }
    } else {
      handle = try begin()
    }
    size += UInt64(text.bytes.count)
    count += trades
  }

  /// Puts a file with the first lines in its place: what was there before is replaced now.
  private func begin() throws -> FileHandle {
    guard FileManager.default.createFile(atPath: file.path, contents: nil),
      let handle = FileHandle(forWritingAtPath: file.path)
    else {
      throw CommandFailure(
        .unavailable, "--record: cannot write \(file.name)", advice: "check the folder, or choose another")
    }
    do {
      try handle.write(contentsOf: Data(text.bytes))
      try file.commit()
    } catch {
      file.discard()
      throw error is CommandFailure ? error : failure(error, advice: "what was there before is there")
    }
    return handle
  }

  /// Closes the file.
  func end() throws {
    do {
      try handle?.synchronize()
      try handle?.close()
    } catch {
      throw failure(error)
    }
  }

  /// What standard error shows of it.
  var summary: String {
    let missing = lost > 0 ? "rustle: \(lost) updates came too fast for \(file.name)\n" : ""
    let name = CommandFailure.visible(file.name)
    return missing
      + (handle == nil ? "no updates came: nothing was written to \(name)\n" : "wrote \(count) updates to \(name)\n")
  }

  private func failure(
    _ error: any Error, advice: String = "the updates before are in it"
  ) -> CommandFailure {
    CommandFailure(
      .unavailable, "\(file.name): cannot be written: \(error.localizedDescription)", advice: advice)
  }
}
