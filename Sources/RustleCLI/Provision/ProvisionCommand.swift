internal import ArgumentParser
import Foundation
import RustleCore
import RustleLighting
import RustlePlot

struct ProvisionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "provision", abstract: "Give DMX nodes their network and address over Bluetooth LE.",
    subcommands: [
      ProvisionListCommand.self, ProvisionReadCommand.self, ProvisionSetCommand.self, ProvisionResetCommand.self,
    ])
}

/// The options of commands with a Bluetooth adapter.
struct NodeRadioOptions: ParsableArguments {
  @Option("Adapter: a name such as hci1, or an address. (default: the first that is on)", value: "name")
  var adapter: String?

  @Flag(help: "Run without a radio, with built-in demonstration nodes.")
  var demo = false

  var configuration: NodeRadioConfiguration {
    var configuration = NodeRadioConfiguration()
    configuration.adapter = demo ? NodeRadioConfiguration.demoAdapter : adapter ?? ""
    return configuration
  }
}

/// The options of commands that connect to a node.
struct NodeAttemptOptions: ParsableArguments {
  @OptionGroup var radio: NodeRadioOptions

  @Option(
    "Stop an attempt after this many seconds. (default: 20)", value: "seconds",
    parse: Parse.number("seconds", in: 0.1...3_600))
  var timeout: Double?

  @Flag(help: "Pair first, and do nothing if the node does not pair.")
  var encrypt = false

  /// A provisioner of these options.
  func provisioner() throws -> NodeProvisioner {
    var timeouts = NodeTimeouts()
    timeouts.attempt = timeout.map { .seconds($0) }
    return try NodeProvisioner(radio.configuration, timeouts: timeouts, requiresEncryption: encrypt)
  }

  /// Runs attempts, and writes a line for each state.
  ///
  /// - Throws: the error of the attempt; of several how many failed.
  func run(
    _ output: StreamOptions,
    _ start: (NodeProvisioner) async throws -> EngineStream<NodeUpdate>
  ) async throws {
    let provisioner = try provisioner()
    let table = Table(Self.columns, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    let (failures, newest) = (Shared<[NodeError]>([]), Shared<NodeUpdate?>(nil))
    let ending = try await finally {
      await provisioner.cancel()
    } after: {
      // Without a reader it goes on: the status says what became of the node, and 0 that it is verified.
      try await RunEnding.of(view: LiveBoard<ScannedNodeBoard>?.none, isForced: false, watchesReader: false) { tasks in
        let updates = try await start(provisioner)
        tasks.addTask {
          for await case .value(let update) in updates {
            newest.value = update
            do { try LineWriter.standardOutput.write(table.line(update)) } catch is BrokenPipe {}
            if let error = update.state.error { failures.update { $0.append(error) } }
            if update.state.isLast, !update.isDisconnected {
              try? LineWriter.standardError.write("rustle: the disconnection was not confirmed in its time\n")
            }
          }
          try updates.requireEnd()
          return .streamEnded
        }
      }
    }
    if ending.status != .ok {
      if let update = newest.value, !update.state.isLast {
        do { try LineWriter.standardOutput.write(table.line(update.cancelled)) } catch is BrokenPipe {}
      }
      throw ExitCode(ending.status.rawValue)
    }
    let failed = failures.value
    if failed.count > 1 {
      let statuses = Set(failed.map { CommandFailure($0)?.status ?? .internal })
      let common = statuses.count == 1 ? statuses.first : nil
      throw CommandFailure(
        common ?? .internal, "\(failed.count) nodes failed",
        advice: "The lines above say why; give those a table of their own.")
    }
    if let error = failed.first { throw error }
  }

  static let columns: [Column<NodeUpdate>] = [
    Column("t_ms", "milliseconds since the attempt's start") { $0.elapsed / .milliseconds(1) },
    Column("state", "SCANNING, CONNECTING, …, SUCCESS or ERROR", \.state.name),
    Column("node", "its address, or the wanted name") { $0.node.isEmpty ? nil : $0.node },
    Column("advertised_name") { $0.advertisedName.isEmpty ? nil : $0.advertisedName },
    Column("rssi_dbm", "its signal when last seen", \.rssi),
    Column("row", "its place in the table, from 0", \.index),
    Column("rows", "nodes of the table", \.nodeCount),
    Column("attempt", "the try to connect, from 1", \.attempt),
    Column("progress", "0 to 1") { (1000 * $0.progress).rounded() / 1000 },
    Column("name", "its values as read: this and the next five") { $0.configuration?.name },
    Column("ssid") { $0.configuration?.ssid },
    Column("universe") { $0.configuration?.universe },
    Column("start") { $0.configuration?.start },
    Column("firmware") { $0.configuration?.firmware },
    Column("flag") { $0.configuration?.flag?.name },
    Column("error", "the kind of error, with ERROR") { $0.state.error?.code.name },
    Column("message", "what was expected and came instead") { $0.state.error?.message },
  ]

  static func text(_ update: NodeUpdate) -> String {
    var line = update.nodeCount > 1 ? "\(update.index + 1)/\(update.nodeCount) " : ""
    line += update.state.name
    if !update.node.isEmpty { line += " \(update.node)" }
    if !update.advertisedName.isEmpty { line += " \(update.advertisedName)" }
    if let rssi = update.rssi { line += " (\(rssi) dBm)" }
    if update.attempt > 1 { line += ", try \(update.attempt)" }
    if let error = update.state.error { line += ": \(error.message)" }
    if update.state == .success, let values = update.configuration { line += ": \(text(values))" }
    return CommandFailure.visible(line) + "\n"
  }

  private static func text(_ values: NodeConfiguration) -> String {
    let number = { (number: Int?) in number.map(String.init) ?? "none" }
    return "name '\(values.name)', network '\(values.ssid)', universe \(number(values.universe)), "
      + "start \(number(values.start)), firmware \(values.firmware), \(values.flag?.name ?? "no flag")"
  }
}
