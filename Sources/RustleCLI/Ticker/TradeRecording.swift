import Foundation
import RustleMarket

/// A file of trades, one JSON object per line, that `--replay` reads back identically.
///
/// The first trade creates or replaces the file, which grows by whole lines: a killed run leaves the earlier trades.
actor TradeRecording {
  private let file: NewFile
  /// The file under its final name; nil before the first trade.
  private var handle: FileHandle?
  private var lines: TickerTables
  private var text = ByteText()
  /// Trades in the file.
  private(set) var count: UInt64 = 0
  /// Trades dropped because the file was too slow.
  private(set) var dropped: UInt64 = 0
  /// Bytes of whole lines.
  private var size: UInt64 = 0

  /// - Throws: `CommandFailure` for an existing file that may not be replaced, and for a folder that cannot be written to.
  init(_ record: TickerPlan.Record) throws {
    if let input = record.input {
      try OutputPath.check(record.path, option: "--record", isNot: input)
    } else {
      try OutputPath.check(record.path, option: "--record")
    }
    file = try NewFile(record.path, mayReplace: record.mayReplace)
    // JSON ignores the profile.
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
        // Sequence numbers show the gap, where trades have them.
        if trade.sequence == nil, trade.sequenceGap > 0 { text.append(lines.gap(trade.sequenceGap)) }
        lines.append(element, to: &text)
        trades += 1
      case .gap(let gap): dropped += gap
      }
    }
    if trades == 0 { return }
    if let handle {
      do {
        try handle.write(contentsOf: Data(text.bytes))
      } catch {
        // Only whole lines stay.
        try? handle.truncate(atOffset: size)
        throw failure(error)
      }
    } else {
      handle = try begin()
    }
    size += UInt64(text.bytes.count)
    count += trades
  }

  /// Creates the file with the first lines, replacing an existing one.
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
      throw error is CommandFailure ? error : failure(error, advice: "the previous file is unchanged")
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

  /// The summary for standard error.
  var summary: String {
    let missing = dropped > 0 ? "rustle: \(dropped) updates dropped: too fast for \(file.name)\n" : ""
    let name = CommandFailure.visible(file.name)
    return missing
      + (handle == nil ? "no updates: nothing written to \(name)\n" : "wrote \(count) updates to \(name)\n")
  }

  private func failure(
    _ error: any Error, advice: String = "it contains the earlier updates"
  ) -> CommandFailure {
    CommandFailure(
      .unavailable, "\(file.name): cannot be written: \(error.localizedDescription)", advice: advice)
  }
}
