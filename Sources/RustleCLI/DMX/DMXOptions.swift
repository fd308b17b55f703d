internal import ArgumentParser
import Foundation
import RustleLighting

/// The options of commands that listen to the network.
struct DMXNetworkOptions: ParsableArguments {
  @Option("Interface: a name or an address. (default: that of the default route)", value: "name")
  var interface: String?

  @Flag(help: "Run without a network, on built-in demonstration data.")
  var demo = false

  @OptionGroup var limit: TimeLimitOption

  /// The interface as the engines take it.
  var name: String { demo ? DMXSenderConfiguration.demoInterface : interface ?? "" }
}

/// The protocols that are received.
enum DMXProtocols: String, CaseIterable, ExpressibleByArgument {
  case sacn, artnet, both

  var all: [DMXProtocol] { DMXProtocol.allCases.filter { self == .both || $0.rawValue == rawValue } }
}

/// The options of commands that receive universes.
struct DMXReceiverOptions: ParsableArguments {
  @Option(name: .customLong("protocol"), help: "The protocols to receive.")
  var kind: DMXProtocols = .both

  @Option("Universes: 1-4,7; Port-Addresses: 0.0.1 or 1. (default: the first)", value: "list")
  var universes: String?

  @Flag(help: "Show a synchronized frame only when all of its universes have arrived.")
  var wholeFrames = false

  @OptionGroup var network: DMXNetworkOptions

  func validate() throws { _ = try configuration(of: "") }

  /// The configuration of a receiver of this name.
  func configuration(of longName: String) throws -> DMXReceiverConfiguration {
    try Parse.checked(of: "--universes: ") {
      let all = try kind.all.flatMap { kind in
        try universes.map { try DMXUniverse.list($0, of: kind) } ?? [
          DMXUniverse(kind.universeRange.lowerBound, of: kind)
        ]
      }
      var configuration = DMXReceiverConfiguration(all)
      configuration.interface = network.name
      configuration.showsWholeFrames = wholeFrames
      configuration.longName = longName
      return configuration
    }
  }
}

extension LogOptions {
  /// Notes lines of an input that were not sent.
  func noteLeftOut(_ lines: Int) {
    if lines > 0 { note("\(lines) lines of the other protocol were left out") }
  }
}
