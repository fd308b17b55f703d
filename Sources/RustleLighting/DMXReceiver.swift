public import RustleCore

/// A receiver of DMX universes by sACN and Art-Net.
///
/// ```swift
/// var configuration = DMXReceiverConfiguration(try DMXUniverse.list("1-4", of: .sacn))
/// configuration.interface = "127.0.0.1"
/// let receiver = try DMXReceiver(configuration)
/// for await element in try await receiver.levels() {
///   guard let changed = element.value else { continue }
///   print(changed.universe, changed.levels[0])
/// }
/// ```
///
/// Its streams share sockets, which are open while there is a stream. Sources are merged, lost and synchronized as docs/lighting.md
/// says. While it receives Art-Net it is a node: it answers ArtPolls.
public actor DMXReceiver: NativeStreamEngine {
  /// The universes, and how they are received.
  public nonisolated let configuration: DMXReceiverConfiguration

  private let receiver: NativeDmxReceiver
  /// The streams that it has returned.
  package let streams = EngineStreams()

  /// Creates a receiver; nothing is opened.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/validation``, ``LightingError/Code/universe`` or
  ///   ``LightingError/Code/native``.
  public init(_ configuration: DMXReceiverConfiguration) throws(LightingError) {
    try self.init(configuration, runtime: nil)
  }

  /// Creates a receiver on the caller's runtime.
  package init(_ configuration: DMXReceiverConfiguration, runtime: NativeRuntime?) throws(LightingError) {
    self.configuration = configuration
    let native = try configuration.native()
    receiver = try LightingError.rethrowing { () throws(NativeError) in
      try NativeDmxReceiver(native, runtime: runtime)
    }
  }

  /// Opens the network and streams the levels: those that are shown, and then each change; by default the latest of each universe.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/unknownInterface`` or ``LightingError/Code/network``.
  public func levels(
    buffering: StreamBuffering = .batched(capacity: 1, overflow: .conflate)
  ) throws(LightingError) -> EngineStream<DMXUniverseLevels> {
    try levels(buffering: buffering, reader: ElementReader { DMXUniverseLevels($0) }, sequenceNumber: \.sequence)
  }

  /// As ``levels(buffering:)``, for values of the caller's type.
  package func levels<Value: Sendable>(
    buffering: StreamBuffering, reader: ElementReader<NativeDMXLevels, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(LightingError) -> EngineStream<Value> {
    try started(orThrow: LightingError.self) { () throws(NativeError) in
      try receiver.start(buffering: buffering, reader: reader, sequenceNumber: sequenceNumber)
    }
  }

  /// Opens the network and streams the events from now on: sources that appear and leave, synchronization.
  ///
  /// - Parameter capacity: the events that wait at most, 1 to 1,048,576; the oldest are dropped.
  /// - Throws: as ``levels(buffering:)``.
  public func events(capacity: Int = 1_024) throws(LightingError) -> EngineStream<DMXEvent> {
    try started(orThrow: LightingError.self) { () throws(NativeError) in
      try receiver.start(NativeDMXEventsRequest(capacity: capacity), reader: ElementReader { DMXEvent($0) })
    }
  }

  /// The counts since the sockets were opened, also after the last stream.
  public var counts: DMXReceiverCounts? {
    NativeError.logging { () throws(NativeError) in DMXReceiverCounts(try receiver.counts()) }
  }

  /// The counts of a universe since the sockets were opened.
  public func counts(of universe: DMXUniverse) -> DMXUniverseCounts? {
    NativeError.logging { () throws(NativeError) in
      DMXUniverseCounts(try receiver.counts(of: universe.number, universe.protocol == .sacn ? .sacn : .artNet))
    }
  }

  /// The sources of a universe at present, at most as many as it merges; none for one that is not received.
  public func sources(of universe: DMXUniverse) -> [DMXSource] {
    var sources: [DMXSource] = []
    while let source = source(sources.count, of: universe), !sources.contains(source) { sources.append(source) }
    return sources
  }

  private func source(_ index: Int, of universe: DMXUniverse) -> DMXSource? {
    let native = NativeError.logging { () throws(NativeError) in
      try receiver.source(index, of: universe.number, universe.protocol == .sacn ? .sacn : .artNet)
    }
    return native.flatMap { $0.isThere ? DMXSource($0) : nil }
  }

  /// Removes a source from a universe at once, until its next packet: the levels of the others remain. Has no effect on a source
  /// that the universe does not have.
  public func forget(_ source: DMXSource, of universe: DMXUniverse) {
    let (id, kind) = (source.identity, universe.protocol == .sacn ? NativeDMXProtocol.sacn : .artNet)
    NativeError.logging { () throws(NativeError) in
      try receiver.forget(
        cid: (id.high, id.low), address: id.address, physical: id.physical, of: universe.number, kind)
    }
  }

  /// Makes the native side refuse new streams and end the running ones, without waiting for their end.
  package func refuseStreams() { receiver.shutDown() }
}
