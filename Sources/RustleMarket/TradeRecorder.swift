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

  private var file: LineFile
  private var isClosed = false
  private var text = ByteText()

  /// Creates a recorder. Nothing is written before the first trade.
  ///
  /// - Parameters:
  ///   - path: the path of a regular file or of none, in a folder that exists. A link is followed.
  ///   - overwrite: whether an existing file is replaced.
  /// - Throws: ``FeedError/Code/fileExists``; ``FeedError/Code/unwritableFile`` for a device, a pipe or a folder.
  public init(path: String, overwrite: Bool = false) throws(FeedError) {
    self.path = path
    do throws(LineFile.Failure) {
      file = try LineFile(path, mayReplace: overwrite)
    } catch {
      throw Self.error(error, of: path, after: 0)
    }
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
    do throws(LineFile.Failure) {
      try file.append(Data(text.bytes))
    } catch {
      throw Self.error(error, of: path, after: count)
    }
    count += trades
  }

  /// Closes the file once the system has stored it. Nothing can be recorded then; a second call does nothing.
  ///
  /// - Throws: ``FeedError/Code/unwritableFile``.
  public func close() throws(FeedError) {
    if isClosed { return }
    isClosed = true
    do throws(LineFile.Failure) {
      try file.close()
    } catch {
      throw Self.error(error, of: path, after: count)
    }
  }

  private static func error(_ failure: LineFile.Failure, of path: String, after count: UInt64) -> FeedError {
    switch failure {
    case .exists: FeedError(code: .fileExists, message: "\(path): the file exists")
    case .notRegular:
      FeedError(
        code: .unwritableFile, message: "\(path): expected the path of a regular file, got a device, a pipe or a folder"
      )
    case .unwritable(let reason):
      FeedError(code: .unwritableFile, message: "\(path): cannot be written after \(count) trades: \(reason)")
    }
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
