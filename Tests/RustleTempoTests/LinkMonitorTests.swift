import Foundation
import TestSupport
import Testing

@testable import RustleTempo

@Suite(.releasesNativeObjects) struct LinkMonitorTests {
  @Test func demonstrationHasThreeMembersOfOneSession() async throws {
    var configuration = LinkMonitor.Configuration()
    configuration.interfaces = [LinkMonitor.Configuration.demoInterface]
    (configuration.demoRate, configuration.messageLimit) = (1_000, 6)
    let monitor = try LinkMonitor(configuration)
    var messages: [LinkMessage] = []
    for await case .value(let message) in try await monitor.messages(buffering: .perValue()) {
      messages.append(message)
    }
    #expect(messages.map(\.sequence) == Array(0..<6) && messages.allSatisfy { $0.kind == .alive && $0.fault == nil })
    #expect(Set(messages.compactMap(\.nodeID)) == ["demonod1", "demonod2", "demonod3"])
    #expect(Set(messages.compactMap(\.state?.sessionID)) == ["demonod1"])
    #expect(messages.first?.source == "192.0.2.1:20808" && messages.first?.state?.timeToLive == .seconds(5))
    await monitor.shutDown()
    await #expect(throws: TempoError.self) { try await monitor.messages() }
  }

  @Test func unknownInterfacesAndRatesAreRefused() async throws {
    var configuration = LinkMonitor.Configuration()
    configuration.interfaces = ["no-such-interface"]
    let monitor = try LinkMonitor(configuration)
    let error = await #expect(throws: TempoError.self) { try await monitor.messages() }
    #expect(error?.code == .unknownInterface && error?.message.contains("no-such-interface") == true)
    configuration.demoRate = 0
    #expect(throws: TempoError.self) { try LinkMonitor(configuration) }
    await monitor.shutDown()
  }

  @Test func identitiesOfAnyBytesArePrintable() {
    #expect(identityText(0x6465_6D6F_6E6F_6431) == "demonod1")
    #expect(identityText(0x1B5B_326A_5C00_FF7E) == #"\x1b[2j\x5c\x00\xff~"#)
  }
}
