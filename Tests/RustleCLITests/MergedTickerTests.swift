import Foundation
import RustleMarket
import TestSupport
import Testing

@testable import RustleCLI

extension TickerRunTests {
  /// Several recordings are treated as one is.
  @Test func severalRecordingsHaveTheFailuresOfOne() async throws {
    let folder = try ScratchFolder()
    let other = try folder.write(Data(Self.lines[1].utf8), as: "b.ndjson")
    func play(
      _ text: String, and path: String = other, _ change: (inout TickerPlan, inout ReplayFeed) -> Void = { _, _ in }
    ) async throws -> Output {
      try await self.play(text, isMergedWith: path, change)
    }
    let played = try await play(Self.lines[0])
    #expect(played.failure == nil && played.notes.isEmpty && played.text.split(separator: "\n").count == 2)
    let nobody = try await play(Self.lines[0]) { plan, _ in plan.symbols = ["a:X", "b:Y"] }
    #expect(nobody.notes == "rustle: the recordings have no trade of a:X, b:Y\n" && nobody.failure == nil)
    let nothing = try folder.write(Data(), as: "c.ndjson")
    let empty = try await play("", and: nothing).failure
    #expect(empty?.status == .badData && empty?.message.hasSuffix("c.ndjson: expected trades, got empty files") == true)
    let late = try await play(Self.lines[0]) { _, feed in feed.from = .max }
    #expect(late.failure?.status == .usage && late.failure?.message.hasPrefix("--from: ") == true)
    let strict = try await play(Self.lines[0] + "x\n" + Self.lines[2]) { _, feed in feed.isStrict = true }
    #expect(strict.failure?.status == .badData && strict.failure?.message.hasPrefix("--source a: ") == true)
    #expect(strict.text.split(separator: "\n").count <= 2)
    let long = Self.lines[2].replacing("BTC", with: String(repeating: "B", count: 31))
    let skipped = try await play(Self.lines[0] + long)
    #expect(skipped.notes.contains("BBB': expected at most 30 bytes, got 31\n"))
    #expect(skipped.notes.hasSuffix("rustle: 1 of 3 lines malformed and skipped\n"))
  }
}
