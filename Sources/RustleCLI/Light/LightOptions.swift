internal import ArgumentParser
import Foundation
import RustleLighting

/// The options of commands that play a show.
struct ShowOptions: ParsableArguments {
  @Argument(help: "File of the show. (default: the built-in show)", completion: .file(extensions: ["json"]))
  var show: String?

  @Option("File of the rig. (default: the one in the show)", value: "file", completion: .file(extensions: ["json"]))
  var rig: String?

  @Option(help: "Built-in rig, and its show, where no file is given.")
  var demo: LightShow.Demo = .festival

  @Option(
    help: ArgumentHelp(
      "Tempo: 1 to 999 beats a minute; tap, the key t; link, a session on the network. (default: 120)",
      valueName: "bpm|tap|link"))
  var tempo = ShowTempo.fixed(120)

  /// Rejects a tempo that changes, where a show is rendered.
  func requireFixedTempo() throws {
    guard case .fixed = tempo else {
      throw ValidationError("--tempo: expected a number, since the time is virtual, got '\(tempo)'")
    }
  }

  /// Reads the files. What is wrong within them is reported, and left out.
  func read(_ log: LogOptions) throws -> LightShow {
    let rigFile = try rig.map { try TextFile.bytes(of: $0, option: "--rig") }
    let showFile = try show.map { try TextFile.bytes(of: $0, option: "<show>") }
    let name = [show, rig].compactMap(\.self).joined(separator: ", ")
    let read = try CommandFailure.naming(name) { try LightShow(show: showFile, rig: rigFile, demo: demo) }
    if !read.faults.isEmpty {
      throw CommandFailure(
        .badData, "\(name): \(read.faults.prefix(8).joined(separator: "; "))",
        advice: read.faults.count > 8 ? "\(read.faults.count - 8) more; correct these first" : "correct what is named")
    }
    return read
  }

  /// How the show is played.
  var configuration: LightingController.Configuration {
    var configuration = LightingController.Configuration()
    if case .fixed(let tempo) = tempo { configuration.tempo = tempo }
    return configuration
  }
}

/// Where the beats of a show come from.
enum ShowTempo: ExpressibleByArgument, Equatable, CustomStringConvertible {
  case fixed(Double)
  case tap, link

  init?(argument: String) {
    switch argument {
    case "tap": self = .tap
    case "link": self = .link
    default:
      guard let tempo = Double(argument), (1...999).contains(tempo) else { return nil }
      self = .fixed(tempo)
    }
  }

  var description: String {
    switch self {
    case .fixed(let tempo): "\(tempo)"
    case .tap: "tap"
    case .link: "link"
    }
  }

  var defaultValueDescription: String { "" }
}

/// A destination of a show: `sacn:multicast`, `artnet:10.0.0.7`.
struct LightOutput: ExpressibleByArgument {
  let kind: DMXProtocol
  let destination: String

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, let kind = DMXProtocol(rawValue: parts[0]) else { return nil }
    let words = kind == .sacn ? ["broadcast", DMXConfiguration.followsNodes] : ["multicast"]
    if words.contains(parts[1]) { return nil }
    (self.kind, destination) = (kind, parts[1])
  }

  /// The configuration of a sender.
  func configuration(interface: String?, identity: UUID) -> DMXConfiguration {
    var configuration = DMXConfiguration(kind, cid: identity, name: "rustle light run")
    configuration.interface = interface ?? ""
    switch destination {
    case "multicast": break
    case "broadcast": configuration.broadcasts = true
    default: configuration.destinations = [destination]
    }
    return configuration
  }
}
