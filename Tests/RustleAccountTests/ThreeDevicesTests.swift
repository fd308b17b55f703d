import TestSupport
import Testing

@testable import RustleAccount

/// Three devices of one account over a link that loses messages and answers.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ThreeDevicesTests {
  /// The bands that the users move: few, so that they meet.
  private static let bands = 0..<4

  /// What the users have done since all devices agreed.
  private struct Words {
    /// The gains to which a device moved each band, the last one last.
    private var said: [[Int: [Float]]] = [[:], [:], [:]]
    /// Bands of which a device was asked and took the other gain.
    private var givenUp: Set<Int> = []

    mutating func say(_ device: Int, _ band: Int, _ gain: Float) { said[device][band, default: []].append(gain) }

    mutating func giveUp(_ bands: [Int]) { givenUp.formUnion(bands) }

    /// The gains that a band may end with: of the only device that moved it the last one.
    func ends(of band: Int, from before: Float) -> [Float] {
      let gains = said.compactMap { $0[band] }
      if gains.isEmpty { return [before] }
      return givenUp.contains(band) ? gains.flatMap(\.self) + [before] : gains.compactMap(\.last)
    }
  }

  /// Any order of changes, losses and cuts ends with one value everywhere: of each band that a single device moved with what it moved it to
  /// last, also when that was while a save was under way.
  @Test(arguments: 0..<100) func theyAgreeInTheEndAndLoseNothing(seed: Int) async throws {
    let server = ScriptedServer()
    let devices = (0..<3).map {
      SettingsSync(ScriptedLink(server: server, device: $0), waits: (.microseconds(100), .milliseconds(1)))
    }
    // Nothing of a device is left behind it.
    try await withThrowingDiscardingTaskGroup { group in
      for device in devices {
        group.addTask { try await device.run() }
        group.addTask {
          var newest: Int64 = 0
          for await state in device.values {
            #expect(state.revision >= newest)
            newest = state.revision
          }
        }
      }
      try await use(devices, of: server, in: &group, seed: seed)
      group.cancelAll()
    }
  }

  private func use(
    _ devices: [SettingsSync], of server: ScriptedServer, in group: inout ThrowingDiscardingTaskGroup<any Error>,
    seed: Int
  ) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    for device in devices { try await until { await device.state != nil } }
    for _ in 0..<4 {
      let before = await server.saved.gains
      var words = Words()
      for _ in 0..<12 {
        let index = Int.random(in: 0..<3, using: &random)
        let device = devices[index]
        let shown = await device.state?.gains ?? .flat
        let band = Int.random(in: Self.bands, using: &random)
        var gains = [Float(Int.random(in: 0...2, using: &random))]
        switch Int.random(in: 0..<10, using: &random) {
        case 0: await server.cut(index)
        case 1:
          await server.script((0..<3).map { _ in ScriptedServer.Fate.allCases.randomElement(using: &random) ?? .lost })
        case 2: await server.hold()
        case 3: await server.release()
        case 4:
          // Back again, mostly while it is on its way.
          await server.hold()
          gains.append(shown.numbers[band])
          fallthrough
        default:
          guard shown.numbers[band] != gains[0] else { continue }
          var before = shown
          for gain in gains {
            var numbers = before.numbers
            numbers[band] = gain
            let after = try #require(EqualizerGains(numbers: numbers))
            await device.change(after, over: before)
            words.say(index, band, gain)
            group.addTask { await device.flush() }
            for _ in 0..<10 { await Task.yield() }
            before = after
          }
        }
      }
      await server.script([])
      await server.release()
      try await until {
        for device in devices {
          let keepingOwn = Bool.random(using: &random)
          let bands = await device.answer(keepingOwn: keepingOwn)
          if !keepingOwn { words.giveUp(bands) }
        }
        let saved = await server.saved
        for device in devices {
          guard let state = await device.state, state.isSaved, state.revision == saved.revision,
            state.gains == saved.gains
          else { return false }
        }
        return true
      }
      let saved = await server.saved.gains.numbers
      for band in saved.indices {
        let ends = words.ends(of: band, from: before.numbers[band])
        #expect(ends.contains(saved[band]), "band \(band): \(saved[band]), expected of \(ends)")
      }
    }
  }
}

extension SettingsSync {
  /// Answers a conflict: in these bands.
  fileprivate func answer(keepingOwn: Bool) async -> [Int] {
    guard let bands = state?.conflict?.bands else { return [] }
    await resolve(keepingOwn: keepingOwn)
    return bands
  }
}
