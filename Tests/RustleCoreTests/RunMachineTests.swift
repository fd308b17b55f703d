import Testing

@testable import RustleCore

struct RunMachineTests {
  private func begin(
    _ work: String, _ run: RunMachine<String>.Run, _ machine: inout RunMachine<String>
  ) throws -> RunMachine<String>.Operation {
    let operation = machine.operation(of: run)
    let begun = try #require(operation)
    machine.began(begun, work)
    return begun
  }

  @Test func theLastOfSeveralRunsCountsAndTheWorkBeforeItIsCancelled() throws {
    var machine = RunMachine<String>()
    #expect(machine.overtake() == [])
    let first = machine.newest
    _ = try begin("one", machine.newest, &machine)
    _ = try begin("two", machine.newest, &machine)
    #expect(machine.overtake() == ["one", "two"])
    #expect(machine.newest != first)
    _ = try begin("three", machine.newest, &machine)
    #expect(machine.overtake() == ["three"], "work replaced before is not cancelled again")
    #expect(machine.unfinished == ["one", "two", "three"])
  }

  @Test func runThatWasOvertakenHasNoFurtherWork() {
    var machine = RunMachine<String>()
    _ = machine.overtake()
    let waits = machine.newest
    _ = machine.overtake()
    #expect(machine.operation(of: waits) == nil)
    #expect(machine.operation(of: machine.newest) != nil)
    #expect(machine.unfinished.isEmpty)
  }

  @Test func anEndWaitsForUnfinishedWork() throws {
    var machine = RunMachine<String>()
    _ = machine.overtake()
    let one = try begin("one", machine.newest, &machine)
    _ = machine.overtake()
    let two = try begin("two", machine.newest, &machine)
    machine.finished(two)
    #expect(machine.unfinished == ["one"])
    machine.finished(one)
    machine.finished(one)
    #expect(machine.unfinished == [])
    #expect(machine.overtake() == [])
  }
}

@MainActor struct RunsTests {
  @Test func droppingTheRunsEndsTheirWork() async {
    let (begun, left) = (OneShot(), OneShot())
    do {
      let runs = Runs()
      runs.perform(runs.overtake()) {
        begun.fire()
        while !Task.isCancelled { await Task.yield() }
        left.fire()
      }
      await begun.wait()
    }
    await left.wait()
  }

  @Test func endThatIsLateComesBeforeTheNextOne() async {
    let runs = Runs()
    var ends: [Int] = []
    let (called, letGo) = (OneShot(), OneShot())
    let first = Task {
      await runs.finished {
        called.fire()
        await letGo.wait()
        ends.append(1)
      }
    }
    await called.wait()
    let second = Task { await runs.finished { ends.append(2) } }
    for _ in 0..<100 { await Task.yield() }
    #expect(ends.isEmpty)
    letGo.fire()
    await second.value
    #expect(ends == [1, 2])
    await first.value
  }

  @Test func endWaitsForAllWorkThatWasOvertaken() async {
    let runs = Runs()
    let letGo = OneShot()
    var leftCount = 0
    for _ in 0..<3 {
      runs.perform(runs.overtake()) {
        await letGo.wait()
        leftCount += 1
      }
    }
    runs.overtake()
    let end = Task { await runs.finished() }
    for _ in 0..<100 { await Task.yield() }
    #expect(leftCount == 0)
    letGo.fire()
    await end.value
    #expect(leftCount == 3)
  }
}
