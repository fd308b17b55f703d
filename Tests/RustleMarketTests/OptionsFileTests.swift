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
    #expect(try arguments("{}").isEmpty)
  }

  @Test func otherTextsAreRefused() {
    for text in [
      "", "[]", #"{"a":null}"#, #"{"a":{}}"#, #"{"--a":1}"#, #"{"config":"x"}"#, #"{"a b":1}"#, #"{"a":[1]}"#,
    ] {
      let error = #expect(throws: FeedError.self, "\(text)") { try arguments(text) }
      #expect(error?.code == .unreadableFile)
    }
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
