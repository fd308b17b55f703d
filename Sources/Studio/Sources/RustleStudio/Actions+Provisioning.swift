internal import Rustle
internal import StudioCore

extension Studio {
  /// Scans for nodes, and gives them their values. What is begun goes on by itself: no other action waits for a radio.
  func setProvisioning(_ action: Action, _ arguments: Arguments) async throws {
    switch action {
    case .provisioningScan: try await provisioning.scan(try arguments.string("adapter", default: ""))
    case .provisioningStop: provisioning.stopScan()
    case .provisioningCancel: provisioning.cancel()
    default:
      guard provisioning.attempt?.isRunning != true else {
        throw ActionError(
          "wrongState", "expected an attempt that has ended, got one that runs",
          advice: "Wait for its end, or cancel it.")
      }
      let options = try provisioningOptions(arguments)
      switch action {
      case .provisioningSet: try await provision(arguments, options)
      case .provisioningRead: try provisioning.read(try arguments.string("node", default: ""), options)
      default:
        let node = try arguments.string("node")
        guard !node.isEmpty else {
          throw ActionError("validation", "node: expected a name or an address, got none", advice: "Choose a node.")
        }
        try provisioning.reset(node, restartsOnly: arguments["reboot"] == true, options)
      }
    }
  }

  private func provisioningOptions(_ arguments: Arguments) throws -> Provisioning.Options {
    var options = Provisioning.Options(adapter: try arguments.string("adapter", default: ""))
    if arguments["timeout"] != .null { options.time = .seconds(try arguments.number("timeout", in: 0.1...3_600)) }
    options.isEncrypted = arguments["encrypt"] == true
    return options
  }

  private func provision(_ arguments: Arguments, _ options: Provisioning.Options) async throws {
    let isOpen = arguments["open"] == true
    guard isOpen == (arguments["password"] == .null) else {
      throw ActionError(
        "validation", "expected either password, or open: true", advice: "Enter the network's password.")
    }
    let table: String? = arguments["table"] == .null ? nil : try arguments.string("table")
    let count = table?.split(whereSeparator: \.isNewline).count ?? 1
    guard count <= Provisioning.maximumTableCount + 1 else {
      throw ActionError(
        "validation", "table: expected at most \(Provisioning.maximumTableCount) nodes, got \(count - 1)",
        advice: "Give longer tables to rustle provision set --table.")
    }
    let settings = NodeSettings(
      name: try arguments.string("name", default: ""), ssid: try arguments.string("ssid"),
      password: isOpen ? .open : NodePassword(try arguments.string("password")),
      universe: try arguments.integer("universe", in: 0...32_767, default: table == nil ? nil : 0),
      start: try arguments.integer("start", in: 1...512, default: table == nil ? nil : 1),
      footprint: arguments["footprint"] == .null ? nil : try arguments.integer("footprint", in: 1...512))
    try await provisioning.provision(
      try arguments.string("node", default: ""), table: table, with: settings, options)
  }
}
