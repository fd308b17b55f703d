// outside: requires that 'FeedNotice' conform to 'SymbolRecord'
// Notices have no symbols: a stream of them cannot be subscribed.
import Rustle

func subscribe(_ notices: EngineStream<FeedNotice>) throws { try notices.subscribe(to: ["BTC"]) }
