import RustleLighting

extension Component {
  /// What DMX needs of the machine: interfaces, ports, multicast, scheduling.
  static func dmx() async -> [Self] {
    var rows = [Self(name: "DMX", value: "sACN, Art-Net 4")]
    do throws(LightingError) {
      for interface in try NetworkInterface.all() {
        let hasMulticast = await fault(of: .sacn, on: interface.address) == nil
        rows.append(
          Self(name: "  \(interface.name)", value: "\(interface.address), \(hasMulticast ? "" : "no ")multicast"))
      }
    } catch {
      rows.append(Self(name: "  interfaces", value: error.message, remedy: error.advice))
    }
    for (kind, port) in [(DMXProtocol.sacn, 5_568), (.artNet, 6_454)] {
      let fault = await fault(of: kind, on: "127.0.0.1")
      rows.append(Self(name: "  port \(port)", value: fault?.message ?? "available", remedy: fault?.advice))
    }
    return await rows + [multicast(), realtime()]
  }

  /// Multicast on the default interface, which a machine without a default route does not have.
  private static func multicast() async -> Self {
    let fault = await fault(of: .sacn, on: "")
    var row = Self(name: "  multicast", value: fault?.message ?? "available")
    if fault?.code == .unknownInterface {
      (row.value, row.advice) = ("no default interface", "Name an interface with --interface.")
    } else {
      row.remedy = fault?.advice
    }
    return row
  }

  /// The scheduling of a sender's thread, which is known when it has ended. Nothing is sent.
  private static func realtime() async -> Self {
    var configuration = DMXSenderConfiguration(.sacn)
    configuration.interface = "127.0.0.1"
    do throws(LightingError) {
      let sender = try DMXSender(configuration)
      try await sender.start()
      await sender.stop()
      let isAllowed = await sender.report?.isRealtime == true
      return Self(
        name: "  realtime", value: isAllowed ? "allowed" : "not allowed",
        advice: isAllowed ? nil : "Packets leave later under load: allow SCHED_FIFO (ulimit -r 50, or CAP_SYS_NICE).")
    } catch {
      return Self(name: "  realtime", value: error.message, remedy: error.advice)
    }
  }

  /// The reason why universes cannot be received on an interface; nil: they can.
  private static func fault(of kind: DMXProtocol, on interface: String) async -> LightingError? {
    do throws(LightingError) {
      var configuration = DMXReceiverConfiguration([try DMXUniverse(1, of: kind)])
      configuration.interface = interface
      configuration.answersPolls = false
      let receiver = try DMXReceiver(configuration)
      _ = try await receiver.levels()
      await receiver.cancel()
      return nil
    } catch {
      return error
    }
  }
}
