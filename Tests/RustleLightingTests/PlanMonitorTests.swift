import Foundation
import TestSupport
import Testing

@testable import RustleLighting

@Suite(.releasesNativeObjects) struct PlanMonitorTests {
  private typealias Source = PlanMonitor.Source

  private static func monitor(of universes: [Int] = []) throws -> PlanMonitor {
    PlanMonitor(
      try UniversePlan(
        Data(
          """
          {"v":1,"start":"2026-11-28T20:00:00Z","nodes":[
            {"name":"left","address":"10.0.0.1:5570","universes":"1-2","standby":"right"},
            {"name":"right","address":"10.0.0.2:5570","universes":"7"}]}
          """.utf8)), of: universes)
  }

  private static let planned: [Int: [PlanMonitor.Source]] = [
    1: [Source(name: "left", priority: 100), Source(name: "right for left", priority: 90)],
    2: [Source(name: "left", priority: 100), Source(name: "right for left", priority: 90)],
    7: [Source(name: "right", priority: 100)],
  ]

  private static func page(
    _ name: String, _ universes: [Int], cid: UUID = UUID(), page: Int = 0, last: Int = 0
  ) -> DiscoveryPage {
    DiscoveryPage(cid: cid, name: name, page: page, last: last, universes: universes)
  }

  /// The kinds of faults and their universes.
  private static func texts(_ faults: [PlanMonitor.Fault]) -> [String] {
    faults.map { "\($0.universe) \($0.kind.rawValue) \($0.sources.joined(separator: "+"))" }
  }

  @Test func networkAsPlannedHasNoFaults() throws {
    var monitor = try Self.monitor()
    #expect(monitor.universes == [1, 2, 7])
    monitor.hear(Self.page("left", [1, 2]), at: .zero)
    monitor.hear(Self.page("right for left", [1, 2]), at: .zero)
    monitor.hear(Self.page("right", [7]), at: .zero)
    #expect(monitor.faults(Self.planned, at: .seconds(1)).isEmpty)
  }

  @Test func whatIsMissingIsNamed() throws {
    let monitor = try Self.monitor()
    var heard = Self.planned
    heard[7] = nil
    heard[1] = [Source(name: "right for left", priority: 110)]
    heard[2] = [Source(name: "left", priority: 100)]
    #expect(
      Self.texts(monitor.faults(heard, at: .zero)) == [
        "1 no_owner right for left", "2 no_standby left", "7 no_source ",
      ])
  }

  @Test func sourcesOfOnePriorityAndForeignOnesAreNamed() throws {
    let monitor = try Self.monitor()
    var heard = Self.planned
    heard[7] = [Source(name: "right", priority: 100), Source(name: "console", priority: 100)]
    #expect(Self.texts(monitor.faults(heard, at: .zero)) == ["7 not_in_plan console", "7 same_priority console+right"])
    // Two processes of one node.
    heard[7] = [Source(name: "right", priority: 100), Source(name: "right", priority: 100)]
    #expect(Self.texts(monitor.faults(heard, at: .zero)) == ["7 same_priority right+right"])
  }

  @Test func prioritiesAreThoseOfThePlan() throws {
    let monitor = try Self.monitor()
    var heard = Self.planned
    for (owner, standby) in [(100, 110), (80, 110), (80, 90)] {
      heard[1] = [Source(name: "left", priority: owner), Source(name: "right for left", priority: standby)]
      #expect(monitor.faults(heard, at: .zero).isEmpty, "\(owner) \(standby)")
    }
    heard[1] = [Source(name: "left", priority: 90), Source(name: "right for left", priority: 100)]
    let faults = monitor.faults(heard, at: .zero)
    #expect(Self.texts(faults) == ["1 other_priority left", "1 other_priority right for left"])
    #expect(faults.map(\.priority) == [90, 100])
  }

  @Test func universesOfTheShowWithoutAnOwnerAreNamed() throws {
    let monitor = try Self.monitor(of: [1, 2, 3, 7, 900])
    #expect(Self.texts(monitor.faults(Self.planned, at: .zero)) == ["3 unowned ", "900 unowned "])
  }

  @Test func listsNameWhatTheReceiverDoesNotHear() throws {
    var monitor = try Self.monitor()
    monitor.hear(Self.page("left", [1, 2, 3]), at: .zero)
    monitor.hear(Self.page("console", [2, 900]), at: .zero)
    let expected = ["2 not_in_plan console", "3 not_in_plan left", "900 not_in_plan console"]
    #expect(Self.texts(monitor.faults(Self.planned, at: .seconds(25))) == expected)
    #expect(monitor.faults(Self.planned, at: .milliseconds(25_001)).isEmpty, "lists that are old do not count")
  }

  @Test func listOfSeveralPagesCountsWhenItIsWhole() throws {
    var monitor = try Self.monitor()
    let cid = UUID()
    monitor.hear(Self.page("console", [900], cid: cid, page: 0, last: 1), at: .zero)
    #expect(monitor.faults(Self.planned, at: .zero).isEmpty)
    monitor.hear(Self.page("console", [901], cid: cid, page: 1, last: 1), at: .zero)
    #expect(monitor.faults(Self.planned, at: .zero).map(\.universe) == [900, 901])
    // A shorter list replaces it.
    monitor.hear(Self.page("console", [902], cid: cid), at: .zero)
    #expect(monitor.faults(Self.planned, at: .zero).map(\.universe) == [902])
  }

  @Test func packetsAreReadAndOthersAreNone() throws {
    var bytes: [UInt8] = [0, 0x10, 0, 0] + Array("ASC-E1.17\0\0\0".utf8) + [0x70, 0x6C, 0, 0, 0, 8]
    bytes += (1...16).map { UInt8($0) } + [0x70, 0x56, 0, 0, 0, 2]
    bytes += Array("desk".utf8) + [UInt8](repeating: 0, count: 60) + [0, 0, 0, 0, 0x70, 0x0C, 0, 0, 0, 1, 0, 1]
    bytes += [0, 7, 0xF9, 0xFF]
    let page = try #require(DiscoveryPage(bytes))
    #expect((page.name, page.page, page.last, page.universes) == ("desk", 0, 1, [7, 63_999]))
    #expect(page.cid.uuidString == "01020304-0506-0708-090A-0B0C0D0E0F10")
    for length in bytes.indices { #expect(DiscoveryPage(Array(bytes[..<length])) == nil, "\(length)") }
    for place in [0, 4, 21, 43, 117] {
      var other = bytes
      other[place] ^= 0xFF
      #expect(DiscoveryPage(other) == nil, "\(place)")
    }
  }
}
