internal import ArgumentParser
import Foundation
import RustleCore
import RustleLighting
import RustleMarket
import RustlePlot

#if NATS
internal import RustleNATS
#endif

/// The part of a plan that a show's process plays.
struct PlanOptions: ParsableArguments {
  @Option(
    "Plan of several nodes (docs/scale.md): the outputs of sACN send the universes of --node, and those for which it stands by.",
    value: "file", completion: .file(extensions: ["json"]))
  var plan: String?

  @Option("The name of this node in --plan.", value: "name")
  var node: String?

  @Option(
    "Leases of universes in a bucket of NATS key-value, nats://host:port/bucket or tls://…, with several servers separated by "
      + "commas: without its lease a node does not send above another. For all nodes of --plan or none.",
    value: "address")
  var lease: String?

  @Option(
    parsing: .next, "File with a token, user:password, or credentials of NATS, for --lease.", value: "file",
    completion: .file())
  var leaseTokenFile: String?

  @Option(
    parsing: .next, "Trust the root certificates of this PEM file instead of the system's; requires --lease tls://….",
    value: "file", completion: .file(extensions: ["pem", "crt"]))
  var leaseRoots: String?

  @Option(
    "The servers that store each lease, 1 to 5; a bucket that exists keeps its own. (default: 1)", value: "count",
    parse: Parse.integer("a number of servers", in: 1...5))
  var leaseReplicas: Int?

  func validate() throws {
    try Parse.reject(
      ((plan == nil) != (node == nil), "--plan and --node require each other"),
      (lease != nil && plan == nil, "--lease requires --plan"),
      (leaseTokenFile != nil && lease == nil, "--lease-token-file requires --lease"),
      (leaseRoots != nil && lease == nil, "--lease-roots requires --lease"),
      (leaseReplicas != nil && lease == nil, "--lease-replicas requires --lease"))
    // Files that cannot be read have exit codes of their own, which the run reports.
    do { _ = try leases() } catch is CommandFailure {}
  }

  /// The leases; nil: there are none.
  private func leases() throws -> (any LeaseStore)? {
    guard let lease else { return nil }
    #if NATS
    let credentials = try leaseTokenFile.map { try natsCredentials(in: $0, of: "--lease-token-file") }
    let address = try natsAddress(lease, of: "--lease", credentials, roots: leaseRoots)
    return try natsChecked("--lease") { () throws(FeedError) in
      try NATSLeases(address, replicas: leaseReplicas ?? 1)
    }
    #else
    throw ValidationError("--lease: expected a command with NATS, got one that was built without")
    #endif
  }

  /// Rejects what the nodes of a plan would not have in common.
  func check(_ outputs: [LightOutput], tempo: ShowTempo, hasSound: Bool) throws {
    guard plan != nil else { return }
    try Parse.reject(
      (outputs.map(\.kind) != [.sacn], "--plan requires one --output, of sACN"),
      (tempo == .tap || tempo == .audio || hasSound, "--plan requires a --tempo of a number or link, and no sound"))
  }

  /// Makes the node; nil without a plan.
  func open(
    _ show: LightShow, _ configuration: LightingController.Configuration, followsClock: Bool,
    output: DMXSenderConfiguration?
  ) throws -> LightingNode? {
    guard let plan, let node, let output else { return nil }
    let read = try TextFile.value(of: plan, option: "--plan") { try UniversePlan($0) }
    let names = read.nodes.map(\.name)
    guard names.contains(node) else {
      throw ValidationError("--node: expected one of \(names.joined(separator: ", ")) of --plan, got '\(node)'")
    }
    return try LightingNode(
      node, of: read, playing: show, configuration: configuration, followsClock: followsClock, leases: leases(),
      output: output)
  }
}

extension LightingNode.Event {
  /// What the node does in a few words: `standby for left`.
  var words: String { kind.rawValue + (owner.map { " for \($0)" } ?? "") }
}

extension LightingNode {
  /// Shows each change in the view, or else notes it, and writes it as a line where the reports are lines.
  func report(_ format: OutputFormat, _ profile: TerminalProfile, view: LightView?, _ log: LogOptions) async throws {
    let table = Table(Self.columns, kind: "node", format: format, profile: profile)
    for await event in events {
      if let view {
        await view.take(event)
        continue
      }
      log.note("\(event.words): \(event.reason)")
      if format == .ndjson { try LineWriter.standardOutput.write(table.line(event)) }
    }
  }

  static let columns: [Column<Event>] = [
    Column("t_ms", "milliseconds since the node's start") { Int(($0.time / .milliseconds(1)).rounded()) },
    Column("event", Event.Kind.allCases.map(\.rawValue).joined(separator: ", "), \.kind.rawValue),
    Column("owner", "the node for which it stands by, or itself", \.owner),
    Column("priority", "that of the owner's universes; null: they are not sent", \.priority),
    Column("reason", "why, in one clause", \.reason),
  ]
}
