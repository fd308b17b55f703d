import RustleCore
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct OneShotTests {
  @Test func waitReturnsAtOnceWhenItHasFired() async {
    let event = OneShot()
    event.fire()
    #expect(event.isFired)
    await event.wait()
  }

  @Test func fireResumesEveryWaiter() async {
    let event = OneShot()
    let resumed = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<100 {
        group.addTask {
          await event.wait()
          return 1
        }
      }
      group.addTask {
        event.fire()
        return 0
      }
      return await group.reduce(0, +)
    }
    #expect(resumed == 100)
  }

  @Test func secondFireDoesNothing() async {
    let event = OneShot()
    event.fire()
    event.fire()
    await event.wait()
    #expect(event.isFired)
  }

  @Test func waitOutlastsTheCancellationOfItsTask() async {
    let event = OneShot()
    let task = Task {
      await event.wait()
      return event.isFired
    }
    task.cancel()
    event.fire()
    #expect(await task.value, "a cancelled task still waits for the event itself")
  }
}
