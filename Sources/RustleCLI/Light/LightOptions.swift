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

  @Option("Tempo in beats a minute, 1 to 999.", value: "bpm", parse: Parse.number("a tempo", in: 1...999))
  var tempo = 120.0

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
    configuration.tempo = tempo
    return configuration
  }
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
