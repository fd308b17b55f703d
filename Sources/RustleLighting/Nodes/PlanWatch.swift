internal import Foundation
internal import RustleCore

/// Hears the sources of sACN on a network, and streams how they differ from a plan.
///
/// ```swift
/// let plan = try UniversePlan(Data(contentsOf: URL(filePath: "plan.json")))
/// let watch = try PlanWatch(plan, interface: "eth0")
/// for await faults in try await watch.faults() where !faults.isEmpty { print(faults) }
/// ```
public actor PlanWatch {
  /// The interface of universe discovery.
  private let interface: UInt32
  private let receiver: DMXReceiver
  private var monitor: PlanMonitor

  /// Creates a watch; nothing is opened.
  ///
  /// - Parameters:
  ///   - plan: the plan, of at most 4,096 universes.
  ///   - show: what the nodes play, whose universes are compared with the plan; nil: they are not known.
  ///   - interface: the interface, by name or address; empty: that of the default route.
  /// - Throws: ``LightingError`` with ``LightingError/Code/validation`` for more universes, or with
  ///   ``LightingError/Code/unknownInterface``; as ``LightShow/fixtures()``.
  public init(
    _ plan: UniversePlan, playing show: LightShow? = nil, interface: String = ""
  ) throws(LightingError) {
    let patched = try show?.fixtures().map(\.universe).filter { $0.protocol == .sacn } ?? []
    monitor = PlanMonitor(plan, of: Set(patched.map(\.number)).sorted())
    let numbers = monitor.universes
    guard (1...4_096).contains(numbers.count) else {
      throw .validation(
        "plan", expected: "1 to 4096 universes", got: "\(numbers.count)", advice: "Watch a part of the plan.")
    }
    var universes: [DMXUniverse] = []
    for number in numbers { universes.append(try DMXUniverse(number, of: .sacn)) }
    var configuration = DMXReceiverConfiguration(universes)
    configuration.interface = interface
    receiver = try DMXReceiver(configuration)
    let found = try NetworkInterface.all().first { $0.name == interface || $0.address == interface }
    self.interface = found.flatMap { DatagramAddress.host($0.address) } ?? 0
  }

  /// Opens the network and streams the differences, once a second from 3 s on, when every source has sent twice. Lists of universe
  /// discovery come every 10 s: a source outside of the plan's universes is known by then. The stream ends with ``stop()``.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/network``.
  public func faults() async throws(LightingError) -> AsyncStream<[PlanMonitor.Fault]> {
    let levels = try await receiver.levels()
    // 239.255.250.214 (ANSI E1.31-2018, 8.1 and 9.3.2).
    let group = DatagramAddress(host: 0xEFFF_FAD6, port: 5_568)
    let socket: DatagramSocket
    do throws(LightingError) { socket = try DatagramSocket(group, joining: interface) } catch {
      await receiver.cancel()
      throw error
    }
    let (faults, continuation) = AsyncStream.makeStream(
      of: [PlanMonitor.Fault].self, bufferingPolicy: .bufferingNewest(1))
    let (datagrams, start) = (socket.datagrams, ContinuousClock.now)
    let hearing = Task {
      for await datagram in datagrams {
        if let page = DiscoveryPage(datagram) { monitor.hear(page, at: ContinuousClock.now - start) }
      }
    }
    let looking = Task {
      try? await Task.sleep(for: .seconds(3))
      while !Task.isCancelled {
        continuation.yield(await look(at: ContinuousClock.now - start))
        try? await Task.sleep(for: .seconds(1))
      }
    }
    // The levels are not read: they keep the receiver, and end with it.
    Task {
      for await _ in levels {}
      hearing.cancel()
      looking.cancel()
      continuation.finish()
    }
    return faults
  }

  /// Ends the stream.
  public func stop() async { await receiver.cancel() }

  private func look(at now: Duration) async -> [PlanMonitor.Fault] {
    var heard: [Int: [PlanMonitor.Source]] = [:]
    for universe in receiver.configuration.universes {
      let sources = await receiver.sources(of: universe).filter { !$0.isPreview }
      heard[universe.number] = sources.map { PlanMonitor.Source(name: $0.name, priority: $0.priority) }
    }
    return monitor.faults(heard, at: now)
  }
}
