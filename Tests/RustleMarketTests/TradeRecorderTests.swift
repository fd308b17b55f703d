import Foundation
import RustleMarket
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct TradeRecorderTests {
  private static func trade(_ price: String, sequence: UInt64? = 0, gap: UInt64 = 0) -> Trade {
    Trade(
      symbol: "A", price: ExactDecimal(price) ?? .zero, time: .unixEpoch + .milliseconds(1), sequence: sequence,
      sequenceGap: gap
    )
  }

  private static func code(_ path: String, overwrite: Bool = false) -> FeedError.Code? {
    do throws(FeedError) {
      _ = try TradeRecorder(path: path, overwrite: overwrite)
      return nil
    } catch {
      #expect(error.message.hasPrefix("\(path): ") && !error.advice.isEmpty)
      return error.code
    }
  }

  @Test func aFileThatIsThereIsReplacedOnlyWhenAskedFor() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Data("precious\n".utf8), as: "a.ndjson")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let link = folder.path("link.ndjson")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(Self.code(path) == .fileExists && Self.code(link) == .fileExists)
    #expect(Self.code(folder.url.path, overwrite: true) == .unwritableFile)
    #expect(Self.code("/dev/null", overwrite: true) == .unwritableFile)
    let recorder = try TradeRecorder(path: link, overwrite: true)
    try await recorder.write([.gap(0)])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious\n", "until there is a trade")
    try await recorder.write([.value(Self.trade("1.0")), .gap(3)])
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasSuffix("\"seq\":0}\n"), "while it grows")
    try await recorder.write([.value(Self.trade("2", sequence: nil, gap: 5))])
    try await recorder.close()
    try await recorder.close()
    let closed = await #expect(throws: FeedError.self) { try await recorder.write([.value(Self.trade("3"))]) }
    #expect(closed?.code == .ended)
    #expect(await recorder.count == 2)
    #expect(await recorder.droppedCount == 3)
    #expect(
      try String(contentsOfFile: path, encoding: .utf8) == """
        {"v":1,"symbol":"A","price":1.0,"t_ms":1,"seq":0}
        {"v":1,"gap":5}
        {"v":1,"symbol":"A","price":2,"t_ms":1}

        """)
    let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(permissions == 0o600)
    let unused = try TradeRecorder(path: folder.path("b.ndjson"))
    try await unused.close()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["a.ndjson", "link.ndjson"])
  }

  /// A file that came into being since the recorder was created is not replaced.
  @Test func aFileOfSomebodyElseStays() async throws {
    let folder = try ScratchFolder()
    let recorder = try TradeRecorder(path: folder.path("a.ndjson"))
    let path = try folder.write(Data("somebody else's".utf8), as: "a.ndjson")
    await #expect(throws: FeedError.self) { try await recorder.write([.value(Self.trade("1"))]) }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "somebody else's")
  }

  @Test func onADiskThatIsFullWholeLinesStay() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("a.ndjson")
    await #expect(processExitsWith: .success) { [path = path as String] in
      let recorder = try TradeRecorder(path: path)
      try ProcessLimits.largestFile(600)
      let batch = (0..<7).map { StreamElement.value(Self.trade("1.0", sequence: $0)) }
      try await recorder.write(batch)
      do throws(FeedError) {
        try await recorder.write(batch)
        Issue.record("expected a refusal, got none")
      } catch {
        #expect(error.code == .unwritableFile && error.message.hasPrefix("\(path): cannot be written after 7 trades: "))
      }
    }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == 8 && text.hasSuffix("}\n"))
  }

  /// What a replay reads of a recorded stream is the stream.
  @Test func aRecordedStreamIsReplayedIdentically() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("a.ndjson")
    let feed = try MarketFeed(
      .simulated(SimulatedFeed(symbols: ["A\"", "B"], updatesPerSecond: 1_000, seed: 7, updateLimit: 100)))
    let (trades, recorded) = (try await feed.trades(), try await feed.trades())
    try await feed.run()
    let recorder = try TradeRecorder(path: path)
    try await recorder.record(recorded)
    try await recorder.close()
    await feed.shutDown()
    let replay = try MarketFeed(.replay(ReplayFeed(path: path, pace: .asFastAsPossible)))
    let read = try await replay.trades()
    try await replay.run()
    #expect(
      await trades.asyncStream().reduce(into: []) { $0.append($1) }
        == read.asyncStream().reduce(into: []) { $0.append($1) })
    await replay.shutDown()
  }
}
