public import RustleCore

/// A sender of DMX universes by sACN or Art-Net.
///
/// ```swift
/// var configuration = DMXSenderConfiguration(.sacn, name: "stage left")
/// configuration.interface = "127.0.0.1"
/// let sender = try DMXSender(configuration)
/// try await sender.start()
/// try await sender.set(DMXLevels(at: 255), in: DMXUniverse(1, of: .sacn))
/// await sender.stop()
/// ```
///
/// A thread of the native side sends each universe from its first levels on: changes with the next frame, still levels every 0.8 to
/// 1 s. Stopping or dropping the sender ends its universes: sACN sends three terminated packets for each, a frame apart.
public actor DMXSender: NativeStreamEngine {
  /// The source and the destinations.
  public nonisolated let configuration: DMXSenderConfiguration

  private let sender: NativeDmxSender
  /// The started session: its stream is kept, since dropping it would end the session.
  private var started: (session: DMXSessionID, reports: EngineStream<DMXReport>)?
  /// The counts of the sessions before it.
  private var earlier: DMXReport?
  /// Reads the reports of a sender whose owner asks for the newest.
  private var reading: Task<Void, Never>?
  /// The universes whose levels were set since the start.
  private var numbers: Set<UInt32> = []
  /// The sessions that it has started.
  package let streams = EngineStreams()

  /// Creates a sender; nothing is opened.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/validation``, ``LightingError/Code/universe`` or
  ///   ``LightingError/Code/native``.
  public init(_ configuration: DMXSenderConfiguration) throws(LightingError) {
    try self.init(configuration, runtime: nil)
  }

  /// Creates a sender on the caller's runtime.
  package init(_ configuration: DMXSenderConfiguration, runtime: NativeRuntime?) throws(LightingError) {
    self.configuration = configuration
    let native = try configuration.native()
    sender = try LightingError.rethrowing { () throws(NativeError) in try NativeDmxSender(native, runtime: runtime) }
  }

  /// Starts the sender: opens the network and sends levels from now on, until ``stop()``.
  ///
  /// - Returns: the reports, for one consumer; by default only the newest is kept. Ending them ends the sender.
  /// - Throws: ``LightingError`` with ``LightingError/Code/unknownInterface`` or ``LightingError/Code/network``; with
  ///   ``LightingError/Code/wrongState`` while it is started.
  @discardableResult
  public func start(
    buffering: StreamBuffering = .batched(capacity: 1, overflow: .conflate)
  ) throws(LightingError) -> EngineStream<DMXReport> {
    if let started, started.reports.outcome == nil {
      throw LightingError(
        .wrongState, "expected a stopped sender, got one that sends", advice: "Await stop() first.")
    }
    let reports = try start(buffering: buffering, reader: ElementReader { DMXReport($0) }, sequenceNumber: \.sequence)
    earlier = total
    (started, numbers) = ((DMXSessionID(of: reports), reports), [])
    return reports
  }

  deinit { reading?.cancel() }

  /// As ``start(buffering:)``, for an owner that reads ``report``: no report counts as dropped.
  package func startUnheard() throws(LightingError) {
    let reports = try start()
    reading = Task { for await _ in reports {} }
  }

  /// As ``start(buffering:)``, for values of the caller's type; any number at a time.
  package func start<Value: Sendable>(
    buffering: StreamBuffering, reader: ElementReader<NativeDMXReport, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(LightingError) -> EngineStream<Value> {
    try started(orThrow: LightingError.self) { () throws(NativeError) in
      try sender.start(buffering: buffering, reader: reader, sequenceNumber: sequenceNumber)
    }
  }

  /// Sets the levels of a universe for the next frame; a new one is added.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/universe`` for one of the other protocol, or with
  ///   ``LightingError/Code/wrongState`` before the start and after the end.
  public func set(_ levels: DMXLevels, in universe: DMXUniverse) throws(LightingError) {
    try set([universe: levels])
  }

  /// Sets the levels of several universes, which one frame sends together.
  ///
  /// - Parameter frame: the same number of slots for each universe.
  /// - Throws: as ``set(_:in:)``, and with ``LightingError/Code/validation`` for different numbers of slots.
  public func set(_ frame: [DMXUniverse: DMXLevels]) throws(LightingError) {
    guard let count = frame.first?.value.bytes.count else { return }
    let other = frame.first { $0.value.bytes.count != count }
    if let other {
      throw .validation(
        "frame", expected: "\(count) slots in each universe", got: "\(other.value.bytes.count)",
        advice: "Pass each universe of a frame the same number of slots.")
    }
    var (numbers, slots): ([UInt32], [UInt8]) = ([], [])
    slots.reserveCapacity(count * frame.count)
    // In ascending order universes are added fastest.
    for (universe, levels) in frame.sorted(by: { $0.key < $1.key }) {
      numbers.append(UInt32(try number(of: universe)))
      slots += levels.bytes
    }
    try set(slots, in: numbers)
  }

  /// Sets the levels of several universes, which one frame sends together: as many slots for each, one universe after the other.
  ///
  /// - Throws: as ``set(_:)``.
  package func set(_ slots: [UInt8], in universes: [UInt32]) throws(LightingError) {
    let session = try sending()
    try LightingError.rethrowing { () throws(NativeError) in
      try session.setLevels(slots.span, in: universes.span)
    }
    numbers.formUnion(universes)
  }

  /// Sets the priority of a universe of sACN, 0 to 200.
  ///
  /// - Throws: as ``set(_:in:)``, and with ``LightingError/Code/validation``.
  public func setPriority(_ priority: Int, of universe: DMXUniverse) throws(LightingError) {
    let (session, number) = (try sending(), try number(of: universe))
    try LightingError.rethrowing { () throws(NativeError) in try session.setPriority(priority, of: number) }
  }

  /// Sets the per-address priorities of a universe of sACN, 0 to 200 for each slot, 0 for one that is not driven; nil: none.
  ///
  /// - Throws: as ``setPriority(_:of:)``.
  public func setPriorities(_ priorities: DMXLevels?, of universe: DMXUniverse) throws(LightingError) {
    let (session, number, slots) = (try sending(), try number(of: universe), priorities?.bytes ?? [])
    try LightingError.rethrowing { () throws(NativeError) in try session.setPriorities(slots.span, in: number) }
  }

  /// Ends a universe; has no effect on one that is not sent.
  ///
  /// - Throws: as ``set(_:in:)``.
  public func remove(_ universe: DMXUniverse) throws(LightingError) {
    let (session, number) = (try sending(), try number(of: universe))
    try LightingError.rethrowing { () throws(NativeError) in try session.remove(number) }
  }

  /// The counts so far, also after the end; nil before the first start.
  public var report: DMXReport? {
    guard let session = started?.session else { return nil }
    return NativeError.logging { () throws(NativeError) in DMXReport(try session.counts()) }
  }

  /// The counts of all starts together, also after the end; nil before the first start.
  public var total: DMXReport? { report?.adding(earlier) }

  /// The counts of a universe since it was added, also after the end; zeros for one that is not sent, nil before the first start.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/universe`` for one of the other protocol.
  public func counts(of universe: DMXUniverse) throws(LightingError) -> DMXSentCounts? {
    let number = try number(of: universe)
    guard let session = started?.session else { return nil }
    return NativeError.logging { () throws(NativeError) in DMXSentCounts(try session.counts(of: number)) }
  }

  /// The universes whose levels were set here, and of which a datagram was refused.
  package var refusedUniverses: [DMXUniverse] {
    numbers.sorted().compactMap { number in
      guard let universe = try? DMXUniverse(Int(number), of: configuration.protocol) else { return nil }
      return (try? counts(of: universe))?.refusals ?? 0 > 0 ? universe : nil
    }
  }

  /// The number of refused datagrams of each destination, in the configuration's order without duplicates, then that of multicast
  /// and broadcast together.
  public var refusals: [UInt64] {
    guard let session = started?.session else { return [] }
    let count = configuration.destinations.count + 1
    return NativeError.logging { () throws(NativeError) in try session.refusals(of: count) } ?? []
  }

  /// Ends all universes and returns when the last packet has been sent.
  public func stop() async { await cancel() }

  /// Makes the native side refuse new sessions and end the running ones, without waiting for their end.
  package func refuseStreams() { sender.shutDown() }

  /// The session that sends; nil before the start and after the end.
  package var session: DMXSessionID? {
    guard let started, started.reports.outcome == nil else { return nil }
    return started.session
  }

  private func sending() throws(LightingError) -> DMXSessionID {
    guard let started else {
      throw LightingError(
        .wrongState, "expected a started sender, got one that is not started", advice: "Call start() first.")
    }
    guard started.reports.outcome == nil else {
      throw LightingError(
        .wrongState, "expected a sender that sends, got one that has ended", advice: "Start it again.")
    }
    return started.session
  }

  private func number(of universe: DMXUniverse) throws(LightingError) -> Int {
    guard universe.protocol == configuration.protocol else {
      throw LightingError(
        .universe,
        "universe: expected one of \(configuration.protocol.rawValue), got \(universe) of \(universe.protocol.rawValue)",
        advice: "Use a sender for each protocol.")
    }
    return universe.number
  }
}
