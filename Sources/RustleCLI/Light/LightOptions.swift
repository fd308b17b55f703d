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

  /// Reads the files; what is wrong within them is an error, and what is played as it is a note.
  ///
  /// - Parameters:
  ///   - option: where the file of the show is named.
  ///   - outputs: the files to write, by their options: none may be one of those that are read.
  func read(
    _ log: LogOptions, option: String = "<show>", isNot outputs: [(option: String, path: String)] = []
  ) throws -> LightShow {
    func check(isNot input: String?) throws {
      for (option, path) in outputs { try OutputPath.check(path, option: option, isNot: input) }
    }
    try check(isNot: show)
    if let rig { try check(isNot: rig) }
    let text = try show.map { try TextFile.bytes(of: $0, option: option, limit: TextFile.longestShow) }
    func opened(rig: String?, option: String = "--rig") throws -> (show: LightShow, name: String) {
      let name = [show, rig].compactMap(\.self).joined(separator: ", ")
      let rig = try rig.map { try TextFile.bytes(of: $0, option: option, limit: TextFile.longestShow) }
      return (try CommandFailure.naming(name) { try LightShow(show: text, rig: rig, demo: demo) }, name)
    }
    var (read, name) = try opened(rig: rig)
    if let show, rig == nil, let file = read.rigFile {
      let path = URL(filePath: file, relativeTo: URL(filePath: show)).path
      try check(isNot: path)
      (read, name) = try opened(rig: path, option: "rig of \(show)")
    }
    if !read.faults.isEmpty {
      throw CommandFailure(
        .badData, "\(name): \(read.faults.prefix(8).joined(separator: "; "))",
        advice: read.faults.count > 8 ? "\(read.faults.count - 8) more; correct these first." : "Correct what is named."
      )
    }
    for notice in read.notices.prefix(8) { log.note("\(name): \(notice)") }
    if read.notices.count > 8 { log.note("\(name): \(read.notices.count - 8) more of these") }
    return read
  }
}

/// The tempo of a show that is rendered in virtual time.
struct RenderedTempo: ParsableArguments {
  @Option("Tempo in beats per minute, 1 to 999.", value: "bpm", parse: Parse.number("a tempo", in: 1...999))
  var tempo = 120.0

  /// How the show is played.
  var configuration: LightingController.Configuration {
    var configuration = LightingController.Configuration()
    configuration.tempo = tempo
    return configuration
  }
}

/// Where the beats of a show come from.
enum ShowTempo: Equatable {
  case fixed(Double)
  case tap, link, audio

  static let parse = Parse.value("1 to 999, tap, link or audio") { Self($0) }

  private init?(_ text: String) {
    switch text {
    case "tap": self = .tap
    case "link": self = .link
    case "audio": self = .audio
    default:
      guard let tempo = Double(text), (1...999).contains(tempo) else { return nil }
      self = .fixed(tempo)
    }
  }
}

/// A destination of a show: `sacn:multicast`, `artnet:10.0.0.7`.
struct LightOutput: Hashable, Sendable {
  let kind: DMXProtocol
  let destination: String

  /// As it is written.
  var text: String { "\(kind.rawValue):\(destination)" }

  static let parse = Parse.value(
    "sacn:multicast, sacn:ADDRESS, artnet:ADDRESS, artnet:broadcast or artnet:auto"
  ) { Self($0) }

  private init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, let kind = DMXProtocol(rawValue: parts[0]) else { return nil }
    let words = kind == .sacn ? ["broadcast", DMXSenderConfiguration.followsNodes] : ["multicast"]
    if words.contains(parts[1]) { return nil }
    (self.kind, destination) = (kind, parts[1])
  }

  /// The configuration of a sender.
  func configuration(interface: String?, identity: UUID) -> DMXSenderConfiguration {
    var configuration = DMXSenderConfiguration(kind, cid: identity, name: "rustle light run")
    configuration.interface = interface ?? ""
    switch destination {
    case "multicast": break
    case "broadcast": configuration.broadcasts = true
    default: configuration.destinations = [destination]
    }
    return configuration
  }
}
