import Foundation
import RustleLighting
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct UniversePlanTests {
  private static func plan(_ nodes: String, start: String = "2026-11-28T20:00:00Z") -> Data {
    Data(#"{"v":1,"start":"\#(start)","key":"k","nodes":[\#(nodes)]}"#.utf8)
  }

  private static let left = #"{"name":"left","address":"10.0.0.1:5570","universes":"1-3,7","standby":"right"}"#
  private static let right = #"{"name":"right","address":"10.0.0.2:5570","universes":"4-6","standby":"spare"}"#
  private static let spare = #"{"name":"spare","address":"10.0.0.3:5570"}"#

  @Test func planHasRangesAndStandbys() throws {
    let plan = try UniversePlan(Self.plan([Self.left, Self.right, Self.spare].joined(separator: ",")))
    #expect(plan.start == Date(timeIntervalSince1970: 1_795_896_000))
    #expect(plan.nodes.map(\.universes) == [[1...3, 7...7], [4...6], []])
    let left = try #require(plan.node("left"))
    #expect([1, 3, 4, 7, 8].map(left.owns) == [true, true, false, true, false])
    #expect(plan.owners(behind: "spare").map(\.name) == ["right"])
    #expect(plan.owners(behind: "left").isEmpty && plan.node("middle") == nil)
  }

  @Test(arguments: [
    ("[]", "expected JSON"), ("{}", "v: expected a value, got none"),
    (#"{"v":2,"start":"2026-11-28T20:00:00Z","nodes":[]}"#, "v: expected 1, got 2"),
    (#"{"v":1,"start":"8 pm","nodes":[]}"#, "start: expected a time"),
    (#"{"v":1,"start":"2026-11-28T20:00:00Z","nodes":[]}"#, "nodes: expected one or more"),
    (#"{"v":1,"start":"2026-11-28T20:00:00Z","nodes":[],"universes":"1"}"#, "got 'universes'"),
  ]) func fileThatIsNoPlanIsRefused(text: String, expected: String) {
    Self.refused(Data(text.utf8), expected)
  }

  @Test(arguments: [
    (left, "standby of left: expected another node of the plan, got 'right'"),
    (left.replacing("right", with: "left"), "standby of left"),
    (
      left.replacing("standby", with: "standbye"),
      "nodes[0].standbye: expected one of name, address, universes, standby"
    ),
    (left.replacing("\"left\"", with: "\"le ft\""), "nodes[0].name: expected 1 to 28 letters"),
    (left.replacing(":5570", with: ""), "nodes[0].address: expected an IPv4 address with a port"),
    (left.replacing("10.0.0.1", with: "10.0.0.256"), "nodes[0].address"),
    (
      left.replacing("10.0.0.1", with: "0.0.0.0"),
      "nodes[0].address: expected the address of one machine, got '0.0.0.0:5570'"
    ),
    (left.replacing("10.0.0.1", with: "255.255.255.255"), "nodes[0].address: expected the address of one machine"),
    (left.replacing("10.0.0.1", with: "239.255.0.1"), "nodes[0].address: expected the address of one machine"),
    (
      [left, right, spare.replacing("0.3", with: "0.1")].joined(separator: ","),
      "nodes[2].address: expected one of its own, got that of left, '10.0.0.1:5570'"
    ),
    (left.replacing("1-3", with: "3-1"), "nodes[0].universes"),
    (left.replacing("1-3", with: "0"), "nodes[0].universes"),
    ([left, right, spare, spare].joined(separator: ","), "expected different names, got 'spare' twice"),
    (
      [left, right.replacing("4-6", with: "3-6"), spare].joined(separator: ","),
      "universe 3: expected one owner, got left and right"
    ),
  ]) func nodesThatDoNotFitAreRefused(nodes: String, expected: String) {
    Self.refused(Self.plan(nodes), expected)
  }

  private static func refused(_ file: Data, _ expected: String) {
    do throws(LightingError) {
      _ = try UniversePlan(file)
      Issue.record("expected a refusal")
    } catch {
      #expect(error.code == .malformedInput && error.message.contains(expected), "\(error.message)")
    }
  }

  @Test func nodePlaysItsUniversesAndThoseBehindIt() throws {
    let plan = try UniversePlan(Self.plan([Self.left, Self.right, Self.spare].joined(separator: ",")))
    let show = try LightShow(demo: .pars)
    let node = try LightingNode("right", of: plan, playing: show)
    let settings = node.senders.map(\.configuration)
    #expect(settings.map(\.name) == ["right", "right for left"])
    #expect(settings.map(\.universes) == [[4...6], [1...3, 7...7]])
    #expect(settings.map(\.priority) == [100, 90] && settings.allSatisfy { $0.since == plan.start })
    // Each has an identity, which is kept.
    #expect(settings[0].cid != settings[1].cid)
    let again = try LightingNode("right", of: plan, playing: show, output: settings[0])
    #expect(again.senders.map(\.configuration.cid) == settings.map(\.cid))
    // One that owns none sends none of its own: no universes would be all of them.
    #expect(try LightingNode("spare", of: plan, playing: show).senders.map(\.configuration.name) == ["spare for right"])
    #expect(throws: LightingError.self) { try LightingNode("middle", of: plan, playing: show) }
  }
}
