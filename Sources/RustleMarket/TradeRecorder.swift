internal import Foundation
internal import RustleFiles

/// Records trades to a file, one JSON text per line, which a ``ReplayFeed`` reads back identically.
///
/// ```swift
/// let recorder = try TradeRecorder(path: "prices.ndjson")
/// let trades = try await feed.trades(policy: .lossless())
/// try await feed.run()
/// try await recorder.record(trades)
/// try await recorder.close()
/// ```
///
/// The first trade creates or replaces the file, which grows by whole lines: a process that is killed leaves the earlier trades.
public actor TradeRecorder {
  /// The file's path, as given.
  public nonisolated let path: String
  /// Trades in the file.
  public private(set) var count: UInt64 = 0
  /// Trades that the stream dropped because the file was too slow.
  public private(set) var droppedCount: UInt64 = 0

  private let url: URL
  private let mayReplace: Bool
  /// The open file; nil before the first trade.
  private var file: FileHandle?
  private var isClosed = false
  private var text = ByteText()
  /// Bytes of whole lines in the file.
  private var size: UInt64 = 0

  /// Creates a recorder. Nothing is written before the first trade.
  ///
  /// - Parameters:
  ///   - path: the path of a regular file or of none, in a folder that exists. A link is followed.
  ///   - overwrite: whether an existing file is replaced.
  /// - Throws: ``FeedError/Code/fileExists``; ``FeedError/Code/unwritableFile`` for a device, a pipe or a folder.
  public init(path: String, overwrite: Bool = false) throws(FeedError) {
    self.path = path
    mayReplace = overwrite
    url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    guard let type = attributes?[.type] as? FileAttributeType else { return }
    guard type == .typeRegular else {
      throw FeedError(
        code: .unwritableFile, message: "\(path): expected the path of a regular file, got a device, a pipe or a folder"
      )
    }
    if !overwrite { throw Self.fileExists(path) }
  }

  /// Records a stream to its end.
  ///
  /// - Throws: as ``write(_:)``.
  public func record(_ stream: EngineStream<Trade>) async throws(FeedError) {
    for await batch in stream.batches() { try write(batch) }
  }

  /// Appends trades, with a line for the numbers missing before one that has no number. A gap of the stream is counted.
  ///
  /// - Throws: ``FeedError/Code/ended`` after ``close()``; ``FeedError/Code/unwritableFile``, and for the first trade ``FeedError/Code/fileExists``; the file has the trades of
  ///   earlier calls then.
  public func write(_ batch: [StreamElement<Trade>]) throws(FeedError) {
    if isClosed {
      throw FeedError(code: .ended, message: "\(path): expected a recorder that is open, got a closed one")
    }
    text.removeAll()
    var trades: UInt64 = 0
    for element in batch {
      switch element {
      case .gap(let gap): droppedCount += gap
      case .value(let trade):
        trades += 1
        // Sequence numbers show the gap, where trades have them.
        if trade.sequence == nil, trade.sequenceGap > 0 { text.append("{\"v\":1,\"gap\":\(trade.sequenceGap)}\n") }
        trade.appendJSON(LineStyle(), to: &text)
      }
    }
    if trades == 0 { return }
    let lines = Data(text.bytes)
    do {
      if let file {
        try file.write(contentsOf: lines)
      } else if mayReplace {
        // The previous file stays until the lines are complete, and its permissions are kept.
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        try lines.write(to: url, options: .atomic)
        if let permissions = attributes?[.posixPermissions] {
          try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
        }
        file = try FileHandle(forWritingTo: url)
        try file?.seekToEnd()
      } else {
        try Data().write(to: url, options: .withoutOverwriting)
        file = try FileHandle(forWritingTo: url)
        try file?.write(contentsOf: lines)
      }
    } catch CocoaError.fileWriteFileExists {
      throw Self.fileExists(path)
    } catch {
      // Only whole lines stay.
      try? file?.truncate(atOffset: size)
      throw unwritable(error)
    }
    size += UInt64(lines.count)
    count += trades
  }

  /// Closes the file once the system has stored it. Nothing can be recorded then; a second call does nothing.
  ///
  /// - Throws: ``FeedError/Code/unwritableFile``.
  public func close() throws(FeedError) {
    if isClosed { return }
    isClosed = true
    do {
      try file?.synchronize()
      try file?.close()
    } catch {
      throw unwritable(error)
    }
  }

  private func unwritable(_ error: any Error) -> FeedError {
    FeedError(
      code: .unwritableFile,
      message: "\(path): cannot be written after \(count) trades: \(SystemError.reason(behind: error))")
  }

  private static func fileExists(_ path: String) -> FeedError {
    FeedError(code: .fileExists, message: "\(path): the file exists")
  }
}

extension Trade {
  /// The line that `rustle ticker --json` writes and a ``ReplayFeed`` reads back identically, without its line break: a time with a
  /// fraction of a millisecond is in nanoseconds, and fields that the source lacks are left out.
  public var json: String {
    var text = ByteText()
    appendJSON(LineStyle(), to: &text)
    return String(decoding: text.bytes.dropLast(), as: UTF8.self)
  }
}
