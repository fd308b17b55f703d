import Foundation
import RustleMarket

/// A file of quotes, one JSON object a line, that `--replay` reads back identically.
///
/// It stands in its place from the first quote on and grows by whole lines, so that a run that is killed leaves what came before.
actor QuoteRecording {
  private let file: PartFile
  private let handle: FileHandle
  private var lines: TickerLines
  private var text = ByteText()
  /// Quotes in the file.
  private(set) var count: UInt64 = 0
  /// Quotes that came too fast for it.
  private(set) var lost: UInt64 = 0
  private var isInPlace = false
  /// Bytes of whole lines.
  private var size: UInt64 = 0

  /// - Throws: `CommandFailure` for a file that is there and may not be replaced, and for a folder that cannot be written to.
  init(_ record: TickerPlan.Record) throws {
    if let input = record.input {
      try OutputPath.check(record.path, option: "--record", isNot: input)
    } else {
      try OutputPath.check(record.path, option: "--record")
    }
    file = try PartFile(record.path, mayReplace: record.mayReplace)
    // A profile is for people; JSON has none.
    lines = TickerLines(
      format: .ndjson, profile: .standardOutput(isASCIIAskedFor: true), simulated: nil)
    guard FileManager.default.createFile(atPath: file.path, contents: nil),
      let handle = FileHandle(forWritingAtPath: file.path)
    else {
      throw CommandFailure(
        .unavailable, "--record: cannot write \(record.path)", advice: "check the folder, or choose another")
    }
    self.handle = handle
  }

  /// Puts the empty file in its place: what was there before is replaced now.
  func begin() throws {
    try file.commit()
    isInPlace = true
  }

  func write(_ batch: [StreamElement<Quote>]) throws {
    text.removeAll()
    for element in batch {
      switch element {
      case .value:
        lines.append(element, to: &text)
        count += 1
      case .gap(let gap): lost += gap
      }
    }
    do {
      try handle.write(contentsOf: Data(text.bytes))
      size += UInt64(text.bytes.count)
    } catch {
      // Whole lines alone stay.
      try? handle.truncate(atOffset: size)
      throw failure(error)
    }
  }

  /// Takes a file away that has not come to its place.
  func end() throws {
    defer { if !isInPlace { file.discard() } }
    do {
      try handle.synchronize()
      try handle.close()
    } catch {
      throw failure(error)
    }
  }

  /// What standard error shows of it.
  var summary: String {
    let missing = lost > 0 ? "rustle: \(lost) updates came too fast for \(file.target)\n" : ""
    return missing + "wrote \(count) updates to \(CommandFailure.visible(file.target))\n"
  }

  private func failure(_ error: any Error) -> CommandFailure {
    CommandFailure(
      .unavailable, "\(file.target): cannot be written: \(error.localizedDescription)",
      advice: "the updates before are in it")
  }
}
