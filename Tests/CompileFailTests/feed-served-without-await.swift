// outside: call to actor-isolated instance method 'serve(on:policy:access:)' in a synchronous nonisolated context
// A server is started through the actor whose feed it serves.
import Rustle

func serve(_ feed: MarketFeed) throws -> FeedServer { try feed.serve(on: "127.0.0.1:0") }
