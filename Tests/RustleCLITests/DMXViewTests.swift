import Foundation
import RustleCore
import RustleLighting
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

/// The live views of DMX, from demonstrations on a manual clock.
@Suite(.releasesNativeObjects) struct DMXViewTests {
  /// The elements of the first `count` levels of a demonstration.
  private static func levels(_ count: Int, of universes: [DMXUniverse]) async throws -> [StreamElement<
    DMXUniverseLevels
  >] {
    let runtime = try NativeRuntime(wallMilliseconds: 1_000)
    var configuration = DMXReceiverConfiguration(universes)
    configuration.interface = DMXSenderConfiguration.demoInterface
    configuration.levelsLimit = count
    let receiver = try DMXReceiver(configuration, runtime: runtime)
    let stream = try await receiver.levels(buffering: .batched(capacity: 64, overflow: .dropOldest))
    runtime.advance(nanoseconds: 10_000_000_000)
    var elements: [StreamElement<DMXUniverseLevels>] = []
    for await element in stream { elements.append(element) }
    return elements
  }

  private static func universes() throws -> [DMXUniverse] {
    try DMXUniverse.list("7,3", of: .sacn) + DMXUniverse.list("0.0.1", of: .artNet)
  }

  /// Two of three universes have levels.
  private static func board() async throws -> DMXUniverseBoard {
    let universes = try universes()
    var board = DMXUniverseBoard(universes)
    for element in try await levels(4, of: Array(universes.prefix(2))) { board.apply(element) }
    board.traffic[universes[1]] = (2, 43.96)
    return board
  }

  static func text(_ board: some Board, columns: Int, rows: Int, from first: Int = 0, ascii: Bool = false)
    -> String
  {
    let profile = TickerViewTests.profile(columns: columns, rows: rows, ascii: ascii)
    let lines = board.lines(from: first, atMost: rows, profile)
    #expect(lines.count <= rows && lines.allSatisfy { $0.columns <= columns }, "\(columns) x \(rows)")
    return lines.map { $0.text + "\n" }.joined()
  }

  @Test(arguments: [(80, 23), (140, 30), (40, 12)]) func universesShareTheTerminal(columns: Int, rows: Int) async throws
  {
    var board = try await Self.board()
    board.event = "sacn 3 sourceAppeared 127.0.0.1 a \u{1B}desk"
    try Snapshot.expect(Self.text(board, columns: columns, rows: rows), variant: "\(columns)x\(rows)")
  }

  @Test func theGridEndsWithTheLastSlotThatIsNotZero() async throws {
    let universe = try DMXUniverse(1, of: .sacn)
    var board = DMXUniverseBoard([universe])
    #expect(Self.text(board, columns: 80, rows: 24) == "sACN 1  waiting\n")
    for element in try await Self.levels(1, of: [universe]) { board.apply(element) }
    let whole = Self.text(board, columns: 280, rows: 24).split(separator: "\n")
    // The ramp of the demonstration has every level twice.
    #expect(whole.count == 1 + 512 / 64 && whole[0] == "sACN 1  1 source")
    #expect(whole[8].hasPrefix(" 449 192 193") && whole[8].hasSuffix(" 254 255"))
    board.traffic[universe] = (0, 0)
    #expect(Self.text(board, columns: 280, rows: 1) == "sACN 1  no source  0.0 Hz\n")
    let cut = Self.text(board, columns: 280, rows: 4, ascii: true).split(separator: "\n")
    #expect(cut.count == 4 && cut[3].hasPrefix("   ~ 128 129"))
  }

  @Test func manyUniversesAreScrolled() throws {
    let board = DMXUniverseBoard(try DMXUniverse.list("1-40", of: .sacn))
    let top = Self.text(board, columns: 80, rows: 12).split(separator: "\n")
    #expect(top.first == "sACN 1  waiting" && top.last?.hasSuffix(" more") == true)
    let middle = Self.text(board, columns: 80, rows: 12, from: 20).split(separator: "\n")
    #expect(middle.first == "sACN 21  waiting" && middle.last?.contains("20 above, ") == true)
    let end = Self.text(board, columns: 80, rows: 12, from: 39).split(separator: "\n")
    #expect(end.count == 2 && end[0] == "sACN 40  waiting" && end[1].hasSuffix("39 above"))
    for rows in 1...6 { _ = Self.text(board, columns: 20, rows: rows, from: 5) }
  }

  @Test(arguments: [100, 60]) func nodesAreATable(columns: Int) async throws {
    var board = DMXNodeBoard()
    #expect(Self.text(board, columns: columns, rows: 9) == "no node has answered yet\n")
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    var configuration = DMXNodesConfiguration()
    configuration.interface = DMXSenderConfiguration.demoInterface
    configuration.changesLimit = 6
    let browser = try DMXNodes(configuration, runtime: runtime)
    let stream = try await browser.nodes()
    runtime.advance(nanoseconds: 10_000_000_000)
    for await element in stream { board.apply(element) }
    try Snapshot.expect(Self.text(board, columns: columns, rows: 9), variant: "\(columns)")
    #expect(Self.text(board, columns: columns, rows: 4, from: 1).split(separator: "\n").count == 4)
  }

  @Test func keysScrollPauseAndEnd() async throws {
    let paper = SeenMutex("")
    let screen = LiveScreen(
      hasKeys: true, session: TerminalSession(output: -1, input: nil) { text in paper.withLock { $0 = text } },
      makeProfile: { TickerViewTests.profile(columns: 80) })
    let view = LiveBoard(DMXUniverseBoard(try DMXUniverse.list("1-40", of: .sacn)), screen: screen)
    func picture() async throws -> String {
      try await view.drawIfNeeded()
      return paper.withLock(\.self)
    }
    #expect(try await picture().contains("sACN 1  waiting") && paper.withLock(\.self).contains("space pause"))
    for (key, first) in [
      (Key.down, 2), (.pageDown, 12), (.up, 11), (.pageUp, 1), (.up, 1), (.end, 40), (.down, 40), (.home, 1),
    ] {
      #expect(await !view.press(key))
      #expect(try await picture().contains("\rsACN \(first)  waiting"), "\(key)")
    }
    #expect(await !view.press(.pause))
    await view.update { $0.event = "an event" }
    let paused = try await picture()
    #expect(paused.contains("paused") && !paused.contains("an event"))
    #expect(await !view.press(.pause))
    #expect(try await picture().contains("an event"))
    #expect(await !view.press(.help))
    #expect(try await picture().contains("Ctrl-Z suspend"))
    #expect(await view.press(.quit))
    await view.end()
    #expect(!paper.withLock(\.self).contains("q quit"))
  }
}
