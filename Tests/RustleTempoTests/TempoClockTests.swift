import RustleTempo
import TestSupport
import Testing

@Suite(.serialized, .releasesNativeObjects) struct TempoClockTests {
  private func clock(_ runtime: NativeRuntime) throws -> TempoClock {
    var configuration = TempoClock.Configuration()
    configuration.reading = .exact
    return try TempoClock(configuration, runtime: runtime)
  }

  @Test func tapsAreFollowedAndTheBeatsGoOn() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let clock = try clock(runtime)
    var outcomes: [TapTempo.Outcome] = []
    for tap in 0..<5 {
      outcomes.append(try clock.tap(at: HostTime(microseconds: Int64(tap) * 400_000)))
      runtime.advance(nanoseconds: 400_000_000)
    }
    #expect(outcomes == [.first] + Array(repeating: .counted(missed: 0), count: 4))
    let state = clock.beats()
    #expect(state.source == .tap && state.tempo == 150 && state.beatPhase == 0)
    let taps = try #require(clock.taps)
    #expect(taps.tempo == 150 && taps.tapCount == 5 && taps.suggestedFactor == nil)
    try clock.halveTaps()
    #expect(clock.beats().tempo == 75)
    try clock.doubleTaps()
    try clock.holdTaps(true)
    runtime.advance(nanoseconds: 60_000_000_000)
    #expect(clock.beats().source == .tap)
    try clock.forgetTaps()
    runtime.advance(nanoseconds: 40_000_000_000)
    #expect(clock.taps == nil && clock.beats().source != .link)
    await clock.shutDown()
  }

  @Test func audioAndMIDIAreSources() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let clock = try clock(runtime)
    try clock.setTempo(90)
    #expect(abs(clock.beats().tempo - 90) < 0.001 && clock.beats().source == .manual)
    try clock.hearBeat(at: .init(microseconds: 0), tempo: 100, confidence: 0.8, phaseError: .milliseconds(3))
    let heard = clock.beats(at: .init(microseconds: 600_000))
    #expect(heard.source == .audio && heard.beatPhase == 0 && heard.phaseError == .milliseconds(3))
    for tick in 0..<48 { try clock.receiveMIDI([0xF8], at: .init(microseconds: Int64(tick) * 25_000)) }
    #expect(clock.beats().source == .midi)
    try clock.prefer(.audio)
    #expect(clock.beats().source == .audio)
    try clock.setAudioConfidence(0.9)
    let error = #expect(throws: TempoError.self) {
      try clock.hearBeat(at: .init(microseconds: 0), tempo: 100, confidence: 2)
    }
    #expect(error?.code == .validation)
    try clock.jump()
    await clock.shutDown()
  }

  @Test func changesAreReportedAfterTheState() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let clock = try clock(runtime)
    let reports = try await clock.reports(buffering: .perValue())
    runtime.advance(nanoseconds: 1)
    try clock.setTempo(60)
    runtime.advance(nanoseconds: 1)
    var seen: [TempoReport] = []
    for await element in reports {
      if let report = element.value { seen.append(report) }
      if seen.last?.kind == .tempoChanged { break }
    }
    #expect(seen.first?.kind == .state && seen.first?.state.tempo == 120)
    #expect(seen.last?.state.tempo == 60 && seen.last?.isByPeer == false)
    #expect(seen.map(\.sequence) == Array(0..<UInt64(seen.count)))
    async let ended: Void = clock.shutDown()
    while await clock.liveStreamCount > 0 {
      runtime.advance(nanoseconds: 1)
      await Task.yield()
    }
    await ended
  }

  @Test func clockFollowsASessionOfAnother() async throws {
    var configuration = LinkSession.Configuration.loopback()
    configuration.quantum = 3
    let session = try LinkSession(configuration)
    // Its bars have four beats.
    let clock = try TempoClock(following: session)
    try session.requestBeat(1_001)
    try session.setTempo(81)
    // Without peers the session is not followed.
    #expect(clock.beats().source == .manual)
    let peer = try LinkSession(configuration)
    try session.enable()
    try peer.enable()
    while clock.beats().source != .link { await Task.yield() }
    while clock.beats().tempo != session.beats().tempo { await Task.yield() }
    let time = HostTime.now
    for quantum in [1.0, 3, 4, 8] {
      let states = [clock.beats(at: time, reading: .exact), session.beats(at: time), peer.beats(at: time)]
      let phases = states.map { $0.phase(quantum: quantum) }
      for other in phases.dropFirst() {
        let distance = abs(phases[0] - other)
        // Within 1 ms.
        #expect(min(distance, quantum - distance) < 0.0017, "\(phases) of \(quantum)")
      }
      if quantum == 4 { #expect(abs(states[0].barPhase * 4 - phases[0]) < 0.000_01) }
    }
    await clock.shutDown()
    #expect(session.isEnabled, "the session is not the clock's to leave")
    await peer.close()
    await session.close()
  }

  @Test func taps() throws {
    var taps = try TapTempo()
    let none = taps.estimate
    #expect(none == nil)
    do throws(TempoError) {
      try taps.double()
      Issue.record("expected a refusal")
    } catch {
      #expect(error.code == .validation && error.message.contains("at least two"))
    }
    let start = HostTime.now
    for beat in [0, 1, 2, 4, 5] { try taps.tap(at: start + .milliseconds(250 * beat)) }
    let counted = taps.estimate
    let estimate = try #require(counted)
    #expect(abs(estimate.tempo - 240) < 0.1 && estimate.suggestedFactor == 0.5 && estimate.tapCount == 5)
    #expect(estimate.lastTap == start + .milliseconds(1_250))
    try taps.halve()
    let halved = taps.estimate?.tempo ?? 0
    #expect(abs(halved - 120) < 0.1)
    try taps.setDownbeat(at: start + .milliseconds(1_000))
    let placed = taps.estimate
    let moved = try #require(placed)
    let beats = [1_000, 1_500, 500].map { (moved.beats(at: start + .milliseconds($0)) * 100).rounded() / 100 }
    #expect(beats == [0, 1, -1])
    try taps.nudge(by: .milliseconds(10))
    do throws(TempoError) {
      try taps.nudge(by: .seconds(11))
      Issue.record("expected a refusal")
    } catch {
      #expect(error.code == .validation)
    }
    try taps.reset()
    let after = taps.estimate
    #expect(after == nil)
  }

  @Test @MainActor func modelFollowsItsClock() async throws {
    let clock = try TempoClock()
    let model = TempoViewModel(clock)
    model.start()
    while model.state == nil { await Task.yield() }
    model.setTempo(66)
    while abs((model.state?.tempo ?? 0) - 66) > 0.001 { await Task.yield() }
    model.setTempo(5)
    #expect(model.error?.code == .validation && model.isRunning)
    model.tap()
    model.setEnabled(true)
    #expect(model.state?.isEnabled == false, "it has no session")
    await model.stop()
    #expect(!model.isRunning)
    await clock.shutDown()
  }
}
