import RustleTempo
import TestSupport
import Testing

@Suite(.serialized, .releasesNativeObjects) struct LinkSessionTests {
  private func loopback() -> LinkSession.Configuration { .loopback() }

  @Test func twoMembersOfOneMachineShareTempoPhaseAndStarts() async throws {
    var configuration = loopback()
    configuration.sharesStartStop = true
    let first = try LinkSession(configuration)
    try first.setTempo(97)
    try first.enable()
    configuration.tempo = 140
    let second = try LinkSession(configuration)
    let reports = try await second.reports(buffering: .perValue())
    try second.enable()
    var kinds: Set<TempoReport.Kind> = []
    for await element in reports {
      guard let report = element.value else { continue }
      kinds.insert(report.kind)
      if kinds.contains(.peersChanged) { break }
    }
    #expect(kinds.isSuperset(of: [.state, .peersChanged]))
    // Of two sessions that are as old, the one with the smaller identity stays.
    while first.tempo != second.tempo || first.beats().sessionID != second.beats().sessionID { await Task.yield() }
    #expect([97, 140].contains { abs(first.tempo - $0) < 0.01 })
    #expect(first.beats().sessionID == second.beats().sessionID && first.beats().sessionID.count == 8)
    let now = HostTime.now
    let phases = [first, second].map { $0.beats(at: now).phase(quantum: 4) }
    let distance = abs(phases[0] - phases[1])
    // Within 3 ms.
    #expect(min(distance, 4 - distance) < 0.005)
    try second.setTempo(123)
    try second.setPlaying(true)
    while abs(first.tempo - 123) > 0.01 || !first.beats().isPlaying { await Task.yield() }
    #expect(first.counts.messages > 0 && first.counts.malformed == 0)
    try second.disable()
    while first.peerCount > 0 { await Task.yield() }
    #expect(abs(second.tempo - 123) < 0.01 && !second.isEnabled)
    await first.close()
    await second.close()
    await #expect(throws: TempoError.self) { try await second.reports() }
  }

  @Test func beatsAreRequestedAndForcedAlone() async throws {
    let session = try LinkSession(loopback())
    let time = HostTime.now + .seconds(1)
    #expect(try session.requestBeat(16, at: time) == time)
    let state = session.beats(at: time)
    #expect(state.beats == 16 && state.barPhase == 0 && state.source == .link)
    #expect(state.time(ofBeat: 18) == time + .seconds(1))
    try session.forceBeat(3, at: time)
    #expect(session.beats(at: time).phase(quantum: 4) == 3)
    try session.setQuantum(3)
    #expect(session.beats().quantum == 3)
    await session.close()
  }

  @Test func badValuesAreRefusedWithTheirRange() async throws {
    let session = try LinkSession(loopback())
    for tempo in [19.9, 1_000, .nan] {
      let error = #expect(throws: TempoError.self) { try session.setTempo(tempo) }
      #expect(error?.code == .validation && error?.message.contains("20 to 999") == true)
    }
    #expect(throws: TempoError.self) { try session.setQuantum(0) }
    var configuration = loopback()
    configuration.interfaces = ["no-such-interface"]
    let other = try LinkSession(configuration)
    let error = #expect(throws: TempoError.self) { try other.enable() }
    #expect(error?.code == .unknownInterface && error?.message.contains("no-such-interface") == true)
    configuration.reportRate = 0
    #expect(throws: TempoError.self) { try LinkSession(configuration) }
    for port in [-1, 0, 65_536] {
      var configuration = loopback()
      configuration.port = port
      let error = #expect(throws: TempoError.self) { try LinkSession(configuration) }
      #expect(error?.code == .validation && error?.message.contains("1 to 65535") == true)
    }
    for name in ["", " ", "lo,eth0"] {
      configuration = loopback()
      configuration.interfaces = [name]
      let error = #expect(throws: TempoError.self) { try LinkSession(configuration) }
      #expect(error?.code == .validation && error?.message.contains("\"\(name)\"") == true)
    }
    await session.close()
    await other.close()
  }

  @Test func hostTimesAreDurationsApart() {
    let time = HostTime(microseconds: 5_000_000)
    #expect(time + .milliseconds(1_500) == HostTime(microseconds: 6_500_000))
    #expect(time + .seconds(-9) == HostTime(microseconds: 0))
    #expect(time + .seconds(Int64.max) == HostTime(microseconds: .max))
    #expect(HostTime(microseconds: 7_000_000) - time == .seconds(2) && time < time + .microseconds(1))
    let (converted, error) = HostTime.at(.now)
    #expect(abs(converted.duration(to: .now) / .milliseconds(1)) < 1_000 && error < .seconds(1))
  }
}

extension LinkSession.Configuration {
  /// A session that no other test, and no other program of this machine, meets.
  static func loopback() -> Self {
    var configuration = Self()
    configuration.interfaces = ["127.0.0.1"]
    configuration.port = .random(in: 30_000...32_000)
    return configuration
  }
}
