import RustleCore
import RustleMarket

/// The costs of crossing the boundary, as tables in Markdown.
enum Boundary {
  static func run() async throws {
    try await calls()
    // The least rate is one at which waking the threads costs more than all else, the highest the one that is promised.
    for rate in [200_000.0, 1_000_000, 5_000_000] { try await lanes(rate: rate) }
    try await sustained()
  }

  /// One call, one callback.
  private static func calls() async throws {
    let count: UInt64 = 5_000_000
    let cases = [
      Case(name: "call of a native function") {
        var sum = 0
        for _ in 0..<count { sum &+= NativeLibrary.liveObjects }
        keep(Double(sum))
        return count
      },
      Case(name: "callback, a function that does nothing") {
        try SinkExercise.callEmptyFunction(count: count)
        return count
      },
      Case(name: "callback with a session's context, which counts it") { try SinkExercise.callContext(count: count) },
    ]
    let costs = try await measureInTurns(cases, rounds: 10)
    print("### One call\n")
    printTable(["what", "CPU ns"], zip(cases, costs).map { [$0.name, figure($1.processorNanosecondsEach)] })
  }

  /// One update from the engine to a consumer, over each bridge.
  private static func lanes(rate: Double) async throws {
    let bridges = Bridges(rate: rate, count: UInt64(rate / 5))
    let engine = Case(name: "engine and ring alone: nobody drains", run: bridges.ringOnly)
    let naive = Case(name: "naive bridge", run: bridges.naive)
    let others = [
      Case(name: "callback that does nothing", run: bridges.callbackOnly),
      Case(name: "yield to a stream that nobody reads", run: bridges.yieldOnly),
      Case(name: "per-value lane") { try await bridges.elements(.perValue()) },
      Case(name: "batched lane, one by one") { try await bridges.elements(.batched()) },
      Case(name: "batched lane, in batches", run: bridges.batches),
    ]
    let cases = [engine, naive] + others
    let costs = try await measureInTurns(cases, rounds: 10)
    let (alone, whole) = (costs[0].processorNanosecondsEach, costs[1].processorNanosecondsEach)
    print("### \(grouped(UInt64(rate))) updates per second\n")
    printTable(
      ["way", "CPU ns an update that arrives", "without the engine's", "naive bridge / this"],
      zip(cases, costs).enumerated().map { index, row in
        let each = row.1.processorNanosecondsEach
        return [row.0.name, figure(each), index == 0 ? "–" : figure(each - alone), figure(whole / each)]
      })
  }

  /// Five million updates per second for some seconds: the delivered updates, and the memory.
  private static func sustained() async throws {
    let rate = 5_000_000.0
    let frames = Bridges(rate: rate, count: UInt64(rate) * 10)
    // Less of it: what it holds back grows with every second.
    let naive = Bridges(rate: rate, count: UInt64(rate))
    print("### \(grouped(UInt64(rate))) updates per second, sustained\n")
    var rows: [[String]] = []
    let ways: [(String, (Watch) async throws -> StreamStatistics)] = [
      ("batched lane, in batches, 10 s", frames.batches),
      ("batched lane of 524,288, in batches, 10 s", frames.largeRing),
      ("batched lane, a consumer that looks every 100 ms, 10 s", frames.slowBatches),
      ("naive bridge, 1 s", naive.naive),
    ]
    for (name, way) in ways {
      let watch = Watch()
      let wall = ContinuousClock.now
      let statistics = try await way(watch)
      let seconds = (ContinuousClock.now - wall) / .seconds(1)
      rows.append([
        name, grouped(statistics.produced), grouped(statistics.delivered), grouped(statistics.dropped),
        grouped(UInt64(Double(statistics.produced) / seconds)), watch.growth,
      ])
    }
    printTable(["way", "produced", "delivered", "dropped", "produced a second", "memory grew by"], rows)
  }
}
