import Foundation
import TestSupport
import Testing

@testable import RustleMarket

@Suite(.releasesNativeObjects) struct OptionsFileTests {
  private func arguments(_ text: String) throws -> [String] { try OptionsFile(Array(text.utf8)).arguments }

  @Test func namesBecomeOptions() throws {
    let text = #"{"watchlist":["A","-B c"],"rate":2.5,"loop":true,"json":false,"connect":"a:1","attempts":3}"#
    #expect(
      try arguments(text) == [
        "--attempts=3", "--connect=a:1", "--loop", "--rate=2.5", "--watchlist=A", "--watchlist=-B c",
      ])
    #expect(try arguments("{}").isEmpty && arguments(#"{"rate":[]}"#).isEmpty)
    #expect(try arguments(#"{"watchlist":[1,"2"],"rate":[5]}"#) == ["--rate=5", "--watchlist=1", "--watchlist=2"])
    #expect(try arguments(#"{"candles":["1m","5m"]}"#) == ["--candles=1m,5m"])
  }

  @Test func otherTextsAreRefused() {
    for text in [
      "", "[]", #"{"a":null}"#, #"{"a":{}}"#, #"{"--a":1}"#, #"{"config":"x"}"#,
      #"{"a b":1}"#, #"{"watchlist":[true]}"#,
      #"{"watchlist":[["A"]]}"#, #"{"rate":[1,2]}"#,
    ] {
      let error = #expect(throws: OptionsFileError.self, "\(text)") { try arguments(text) }
      #expect(error?.code == .malformed)
    }
  }

  @Test func fileOfACommandLineIsThatOfItsOption() throws {
    func path(_ arguments: String...) throws -> String? {
      try OptionsFile.location(for: ["ticker"] + arguments, of: "ticker", environment: [:])?.path
    }
    #expect(try path("--config", "a", "B") == "a" && path("B", "--config=a=b") == "a=b")
    #expect(try path("--", "--config=a") == nil && path("A", "--", "--config", "a") == nil)
    #expect(try path("--config") == nil && path("--config=a", "--help") == nil)
    #expect(try OptionsFile.location(for: ["pitch", "--config=a"], of: "ticker", environment: [:]) == nil)
    for arguments in [["--config=a", "--config=b"], ["--config", "a", "--config=a"]] {
      let error = #expect(throws: OptionsFileError.self) {
        try OptionsFile.location(for: ["ticker"] + arguments, of: "ticker", environment: [:])
      }
      #expect(error?.code == .repeated && error?.message == "--config: expected one file, got 2")
    }
  }

  @Test func optionsThatExcludeGivenOnesAreLeftOut() throws {
    let folder = try ScratchFolder()
    func completed(_ text: String, _ arguments: String...) throws -> [String] {
      let path = try folder.write(Data(text.utf8), as: "f.json")
      return try OptionsFile.completed(["ticker"] + arguments, with: path)
    }
    #expect(try completed(#"{"json":true,"rate":3}"#, "--format", "csv") == ["ticker", "--rate=3", "--format", "csv"])
    #expect(try completed(#"{"candles":"1d","zone":"UTC"}"#, "--statistics=5s") == ["ticker", "--statistics=5s"])
    #expect(
      try completed(#"{"replay":"a.csv","speed":"max","alert":"A>1"}"#, "--connect", "b:1")
        == ["ticker", "--alert=A>1", "--connect", "b:1"])
    // The same option is replaced, and arguments after "--" are none.
    #expect(try completed(#"{"format":"csv"}"#, "--format=text") == ["ticker", "--format=text"])
    #expect(
      try completed(#"{"source":["a=x.csv","b=y:1"],"speed":"max","attempts":3}"#, "--source", "c=z.csv")
        == ["ticker", "--speed=max", "--source", "c=z.csv"])
    #expect(
      try completed(#"{"connect":"ws://a","header":"A: b","attempts":3}"#, "--connect", "b:1")
        == ["ticker", "--attempts=3", "--connect", "b:1"])
    #expect(try completed(#"{"json":true}"#, "--", "--format") == ["ticker", "--json", "--", "--format"])
    let missing = #expect(throws: OptionsFileError.self) { try OptionsFile.completed([], with: folder.path("none")) }
    #expect(missing?.code == .unreadable)
  }

  @Test func defaultFileIsInTheFolderOfSettings() {
    func path(_ environment: [String: String]) -> String? {
      OptionsFile.defaultPath(of: "ticker", environment: environment)
    }
    #expect(path(["HOME": "/h"]) == "/h/.config/rustle/ticker.json")
    #expect(path(["HOME": "/h", "XDG_CONFIG_HOME": "/c"]) == "/c/rustle/ticker.json")
    #expect(path(["HOME": "/h", "XDG_CONFIG_HOME": "c"]) == "/h/.config/rustle/ticker.json")
    #expect(path([:]) == nil)
  }
}
