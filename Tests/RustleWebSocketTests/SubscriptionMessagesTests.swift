#if WebSocket
import TestSupport
import Testing

@testable import RustleMarket
@testable import RustleWebSocket

@Suite(.releasesNativeObjects) struct SubscriptionMessagesTests {
  private func change(_ symbols: String..., all: Bool = false) -> FeedSubscription {
    FeedSubscription(isAll: all, symbols: symbols)
  }

  @Test func listsReplaceWhatWasSaidBefore() throws {
    var messages = try SubscriptionMessages(.rustle)
    #expect(messages.messages(for: change()) == [#"{"subscribe":[]}"#])
    #expect(messages.messages(for: change("A", "B\"\\Ä")) == [#"{"subscribe":["A","B\"\\Ä"]}"#])
    #expect(messages.messages(for: change("A", "B\"\\Ä")).isEmpty, "it is known")
    #expect(messages.messages(for: change("A", all: true)) == [#"{"subscribe":"all"}"#])
    #expect(messages.messages(for: change("A", "B", all: true)).isEmpty, "all are all")
    #expect(messages.messages(for: change("B")) == [#"{"subscribe":["B"]}"#])
    messages.restart()
    #expect(messages.messages(for: change("B")) == [#"{"subscribe":["B"]}"#])
  }

  @Test func messagesOfTheUserSayWhatHasChanged() throws {
    var messages = try SubscriptionMessages(.messages(subscribe: "+$symbols$$", unsubscribe: "-$symbol", all: "*"))
    #expect(messages.messages(for: change()).isEmpty)
    #expect(messages.messages(for: change("A", "B")) == [#"+["A","B"]$"#])
    #expect(messages.messages(for: change("B", "C", "D")) == ["-A", #"+["C","D"]$"#])
    #expect(messages.messages(for: change("B", all: true)) == ["-C", "-D", "*"])
    #expect(messages.messages(for: change("B", "C", all: true)) == [#"+["C"]$"#])
    #expect(messages.messages(for: change()) == ["-B", "-C"])
    messages.restart()
    #expect(messages.messages(for: change("A", all: true)) == [#"+["A"]$"#, "*"])
    var plain = try SubscriptionMessages(.messages(subscribe: "$symbol$symbol"))
    #expect(plain.messages(for: change("A", "B", all: true)) == ["AA", "BB"])
    #expect(plain.messages(for: change("B")).isEmpty, "there is no message for it")
    var none = try SubscriptionMessages(.none)
    #expect(none.messages(for: change("A")).isEmpty)
  }

  @Test func namesMayStandInATextForEach() throws {
    var each = try SubscriptionMessages(.messages(subscribe: #"[$each("$lower@t.$symbol")]$$"#, unsubscribe: "-$lower"))
    #expect(each.messages(for: change("AB", "C\"")) == [#"["ab@t.AB","c\"@t.C\""]$"#])
    #expect(each.messages(for: change()) == ["-ab", #"-c\""#])
    for text in ["$each($symbols)", "$each(x)", "$each($symbol", "$each($symbol)$symbol", "$Each($symbol)"] {
      #expect(throws: FeedError.self, "\(text)") { try SubscriptionMessages(.messages(subscribe: text)) }
    }
  }

  @Test func addressesAreTakenApart() throws {
    let plain = try WebSocketAddress("WS://Feed.example")
    #expect(plain.target == "/" && plain.port == 80 && !plain.isSecure && plain.authority == plain.host)
    let full = try WebSocketAddress("wss://[::1]:9443/a/b%2Fc?key=x&y")
    #expect(full.host == "::1" && full.authority == "[::1]:9443" && full.isSecure)
    #expect(full.target == "/a/b%2Fc?key=x&y" && full.origin == "wss://[::1]:9443/a/b%2Fc")
    #expect(try WebSocketAddress("wss://h/").origin == "wss://h")
    #expect(try WebSocketAddress("wss://h:443").authority == "h")
    #expect(try WebSocketAddress("ws://h:443?q").target == "/?q")
  }
}
#endif
