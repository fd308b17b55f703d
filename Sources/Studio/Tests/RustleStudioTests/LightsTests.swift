import Foundation
import StudioCore
import Synchronization
import Testing

@testable import RustleStudio

struct LightsTests {
  /// One picture that could not be drawn ended those after it.
  @Test(.timeLimit(.minutes(5))) func aPictureThatCannotBeDrawnIsLeftOut() async throws {
    let hub = Hub()
    let client = hub.join(canAct: true)
    client.withOutbox { $0.subscribe([Topic.lights]) }
    let count = Mutex(0)
    let drawing = Task {
      await Lights.draw(on: hub) {
        let number = count.withLock {
          $0 += 1
          return $0
        }
        if number == 1 { throw CancellationError() }
        return Data([7])
      }
    }
    for await _ in client.isReady {
      if let value = client.take().values.first {
        #expect(value.frame.payload == [7])
        break
      }
    }
    drawing.cancel()
    await drawing.value
    hub.leave(client)
  }
}
