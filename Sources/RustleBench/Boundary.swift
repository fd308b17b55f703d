import RustleCore
import RustleMarket

/// The cost of crossing the boundary, as tables in Markdown.
enum Boundary {
  static func run() async throws {
    try await calls()
    for rate in [200_000.0, 1_000_000, 5_000_000] { try await lanes(rate: rate) }
  }

  private static func calls() async throws {
    let count: UInt64 = 5_000_000
    let cases = [
      Case(name: "call: `rustle_live_objects`") {
        var sum = 0
        for _ in 0..<count { sum &+= NativeLibrary.liveObjects }
        keep(Double(sum))
        return count
      },
      Case(name: "callback: a function that does nothing") {
        try SinkExercise.callEmptyFunction(count: count)
        return count
      },
      Case(name: "callback: a session's context, one closure, one counter") {
        try SinkExercise.callContext(count: count)
      },
    ]
    let costs = try await measureInTurns(cases, rounds: 10)
    printTable(["one", "CPU ns"], zip(cases, costs).map { [$0.name, figure($1.processorNanosecondsEach)] })
  }

  private static func lanes(rate: Double) async throws {
    let bridges = Bridges(rate: rate, count: UInt64(rate / 5))
    let cases = [
      Case(name: "engine, ring that nobody drains", run: bridges.ringOnly),
      Case(name: "engine, callback that does nothing", run: bridges.callbackOnly),
      Case(name: "yield, nobody reads", run: bridges.yieldOnly),
      Case(name: "naive bridge", run: bridges.naive),
      Case(name: "events lane") { try await bridges.elements(.events()) },
      Case(name: "frame lane, by element") { try await bridges.elements(.frames()) },
      Case(name: "frame lane, in batches", run: bridges.batches),
    ]
    let costs = try await measureInTurns(cases, rounds: 8)
    print("\(Int(rate)) updates a second, \(bridges.count) updates:\n")
    printTable(
      ["way", "CPU ns an update", "wall ns an update"],
      zip(cases, costs).map { [$0.name, figure($1.processorNanosecondsEach), figure($1.wallNanosecondsEach)] })
  }
}
