import RustleMarket
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct SecretTests {
  private let token = "0123456789abcdef"

  /// What a log, a debugger and an error's text may show.
  private func texts(of value: some Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return [
      dumped, String(describing: value), String(reflecting: value), "\(Array(Mirror(reflecting: value).children))",
    ]
  }

  @Test func tokenOfALiveFeedIsNotShown() {
    var feed = LiveFeed("localhost:1", token: token)
    for text in texts(of: feed) + texts(of: FeedConfiguration.live(feed)) + texts(of: [feed]) {
      #expect(!text.contains(token) && text.contains("localhost:1"))
    }
    #expect(feed.token == token && feed == LiveFeed("localhost:1", token: token))
    #expect(feed != LiveFeed("localhost:1", token: "fedcba9876543210") && feed != LiveFeed("localhost:1"))
    feed.token = nil
    #expect(feed == LiveFeed("localhost:1"))
  }

  @Test func tokenOfAServerIsNotShown() {
    for text in texts(of: FeedServer.Access.token(token)) {
      #expect(!text.contains(token) && text.contains("(hidden)"))
    }
    #expect("\(FeedServer.Access.token(token))" == "token(\"(hidden)\")")
    #expect("\(FeedServer.Access.anyone)" == "anyone" && "\([FeedServer.Access.local])".contains("local"))
  }
}
