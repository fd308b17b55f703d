internal import ArgumentParser
import Foundation
import Logging
import RustleAudio
import RustleAudioFiles
import RustlePlot
import RustleLighting
import RustleTempo

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Show the versions in use and missing components.",
    discussion: """
      The exit status is 0 when every component is available, 69 otherwise. Of DMX it shows the interfaces, whether the ports can be \
      shared and multicast be joined, and whether senders are scheduled before other threads; for that it opens sockets and sends nothing.

      EXAMPLES:
        rustle doctor
        rustle doctor --json
      """)

  @Flag(help: "Write one JSON object per line.")
  var json = false

  @OptionGroup var log: LogOptions

  func run() async throws {
    // What the engines warn of is in the rows.
    log.bootstrap(usual: .error)
    let isTerminal = StandardStream.isTerminal(StandardStream.output)
    let profile = TerminalProfile.present(isASCIIAskedFor: false)
    let components = await Component.all(profile: profile, isTerminal: isTerminal)
    let width = (components.map(\.name.count).max() ?? 0) + 2
    let columns: [Column<Component>] = [
      Column("name") { $0.name.trimmingCharacters(in: .whitespaces) },
      Column("value", \.value),
      Column("ok") { $0.remedy == nil },
      Column("advice") { $0.remedy ?? $0.advice },
    ]
    // Text marks faulty components in words.
    let table = Table(columns, format: json ? .ndjson : .text, profile: profile) { component in
      let name = component.name.rightPadded(to: width)
      let advice = (component.remedy ?? component.advice).map { String(repeating: " ", count: width) + $0 + "\n" } ?? ""
      let value = component.remedy == nil ? component.value : profile.paint("\(component.value)  WRONG", .red)
      return name + value + "\n" + advice
    }
    try LineWriter.standardOutput.write(table.lines(components))
    if components.contains(where: { $0.remedy != nil }) { throw ExitCode(ExitStatus.unavailable.rawValue) }
  }
}

struct Component {
  let name: String
  var value: String
  /// What to do if it is not available or not of the expected version; nil if it is.
  var remedy: String?
  /// What would be better, of a component that is available.
  var advice: String?

  static func all(profile: TerminalProfile, isTerminal: Bool) async -> [Self] {
    let terminal = isTerminal ? "\(profile.columns) x \(profile.rows)" : "none (output is a file or a pipe)"
    let formats = AudioLibrary.Format.allCases.map { format in
      let isThere = AudioLibrary.supports(format)
      let remedy =
        isThere
        ? nil : format == .m4a ? "install FFmpeg" : "install a libsndfile with this codec (1.1 or newer for MP3)"
      return Self(name: "  \(format.rawValue)", value: isThere ? "yes" : "no", remedy: remedy)
    }
    let archive = Self(
      name: "native archive", value: Version.archive,
      remedy: Version.isArchiveExpected
        ? nil : "the package was built against another archive: run scripts/build and build again")
    return await [
      Self(name: "rustle", value: Version.package), archive, fft,
      Self(name: "audio files", value: AudioLibrary.version),
    ] + formats + dmx() + tempo() + [
      Self(name: "plots", value: "cairo \(PlotLibrary.version)"),
      Self(name: "terminal", value: terminal),
      Self(name: "  colour", value: profile.usesColor ? "yes" : "no"),
      Self(name: "  characters", value: profile.usesUnicode ? "Unicode" : "ASCII"),
    ]
  }

  private static var fft: Self {
    do throws(FFTError) {
      return Self(name: "FFT", value: try FFT.InstructionSet.preferred().rawValue)
    } catch {
      return Self(name: "FFT", value: error.got ?? error.message, remedy: error.advice)
    }
  }
}

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
      "if programs of other machines are not found: permit UDP to port 20808 and from it, and to the ports that rustle opens"
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
      (row.value, row.advice) = ("no default interface", "name an interface with --interface")
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
        advice: isAllowed ? nil : "packets leave later under load: allow SCHED_FIFO (ulimit -r 50, or CAP_SYS_NICE)")
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
