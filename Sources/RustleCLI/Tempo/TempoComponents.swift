import RustleLighting
import RustleTempo

extension Component {
  /// What sessions of tempo need of the machine: the port and the group of their programs, on each interface. Sockets are opened and join
  /// the group; nothing is sent.
  static func tempo() async -> [Self] {
    var rows = [Self(name: "tempo sessions", value: "Link-compatible, UDP port 20808, group 224.76.78.75")]
    do throws(LightingError) {
      for interface in try NetworkInterface.all() {
        let fault = await fault(on: interface.address)
        rows.append(
          Self(
            name: "  \(interface.name)", value: "\(interface.address), \(fault?.message ?? "available")",
            remedy: fault?.advice))
      }
    } catch {
      rows.append(Self(name: "  interfaces", value: error.message, remedy: error.advice))
    }
    let advice =
      "If programs of other machines are not found: permit UDP to port 20808 and from it, and to the ports that rustle opens."
    return rows + [Self(name: "  firewall", value: "not checked", advice: advice)]
  }

  /// The reason why sessions cannot be heard on an interface; nil: they can.
  private static func fault(on interface: String) async -> TempoError? {
    do throws(TempoError) {
      var configuration = LinkMonitor.Configuration()
      configuration.interfaces = [interface]
      let monitor = try LinkMonitor(configuration)
      _ = try await monitor.messages()
      await monitor.cancel()
      return nil
    } catch {
      return error
    }
  }
}
