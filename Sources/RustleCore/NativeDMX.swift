internal import CRustle

/// A session of a sender of DMX by its number. A number that outlives its session is stale: a call with it is refused.
package struct DMXSessionID: Sendable, Hashable {
  let session: SessionID

  /// The session behind a stream of a sender.
  package init<Value>(of stream: EngineStream<Value>) { session = stream.core.session.id }

  /// Sets the levels of universes for one frame: as many slots for each, one universe after the other.
  package func setLevels(_ slots: Span<UInt8>, in universes: Span<UInt32>) throws(NativeError) {
    try NativeCalls.dmxSenderSetLevels(session.raw, universes: universes, slots: slots)
  }

  /// Sets the per-address priorities of a universe; no slots: none.
  package func setPriorities(_ slots: Span<UInt8>, in universe: Int) throws(NativeError) {
    try NativeCalls.dmxSenderSetPriorities(session.raw, universe: universe, slots: slots)
  }

  /// Sets the priority of a universe.
  package func setPriority(_ priority: Int, of universe: Int) throws(NativeError) {
    try NativeCalls.dmxSenderSetPriority(session.raw, universe: universe, priority: priority)
  }

  /// Ends a universe.
  package func remove(_ universe: Int) throws(NativeError) {
    try NativeCalls.dmxSenderRemove(session.raw, universe: universe)
  }

  /// The counts so far.
  package func counts() throws(NativeError) -> NativeDMXReport { try NativeCalls.dmxSenderCounts(session.raw) }

  /// The counts of a universe since it was added; zeros for one that is not there.
  package func counts(of universe: Int) throws(NativeError) -> NativeDMXSentCounts {
    try NativeCalls.dmxSenderUniverse(session.raw, universe: universe)
  }

  /// The refusals of each of this many destinations.
  package func refusals(of count: Int) throws(NativeError) -> [UInt64] {
    var refusals = [UInt64](repeating: 0, count: count)
    var span = refusals.mutableSpan
    let written = try NativeCalls.dmxSenderRefusals(session.raw, counts: &span)
    return Array(refusals.prefix(written))
  }
}

/// An address of a network interface.
package struct NativeDMXInterface: Sendable, Hashable {
  package let name: String
  package let address: String
  package let broadcast: String
  package let isLoopback: Bool

  /// Returns the addresses of the interfaces that are up.
  package static func all() throws(NativeError) -> [Self] {
    try NativeLibrary.prepare()
    var interfaces: [Self] = []
    try unsafe withUnsafeMutablePointer(to: &interfaces) { interfaces throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_dmx_interfaces_sized(addInterface, interfaces, MemoryLayout<RustleDMXInterface>.stride, $0)
      }
    }
    return interfaces
  }
}

/// Called by the native side during `NativeDMXInterface.all()`, with the array that it fills.
private func addInterface(_ context: UnsafeMutableRawPointer?, _ interface: UnsafePointer<RustleDMXInterface>?) {
  guard let context = unsafe context, let interface = unsafe interface?.pointee else { return }
  let text = { (text: RustleString) in
    unsafe String(decoding: UnsafeBufferPointer(start: text.data, count: text.length), as: UTF8.self)
  }
  let interfaces = unsafe context.assumingMemoryBound(to: [NativeDMXInterface].self)
  unsafe interfaces.pointee.append(
    unsafe NativeDMXInterface(
      name: text(interface.name), address: text(interface.address), broadcast: text(interface.broadcast),
      isLoopback: interface.is_loopback != 0))
}

/// Reads the records of a receiver's streams.
package typealias DmxReceiverReader<Native: NativeElement, Value: Sendable> = ElementReader<Native, Value>

extension NativeDmxReceiver {
  /// Returns the counts since the sockets were opened.
  package borrowing func counts() throws(NativeError) -> NativeDMXReceiverCounts {
    try NativeCalls.dmxReceiverCounts(handle.raw)
  }

  /// Returns the counts of a universe since the sockets were opened.
  package borrowing func counts(
    of universe: Int, _ kind: NativeDMXProtocol
  ) throws(NativeError) -> NativeDMXUniverseCounts {
    try NativeCalls.dmxReceiverUniverse(handle.raw, kind: kind, universe: universe)
  }
}

extension NativeDmxReceiver {
  /// Returns a source of a universe at present, from 0; past the last one that is not there.
  package borrowing func source(
    _ index: Int, of universe: Int, _ kind: NativeDMXProtocol
  ) throws(NativeError) -> NativeDMXSource {
    try NativeCalls.dmxReceiverSource(handle.raw, kind: kind, universe: universe, index: index)
  }

  /// Removes a source of a universe until its next packet.
  package borrowing func forget(
    cid: (high: UInt64, low: UInt64), address: Int, physical: Int, of universe: Int, _ kind: NativeDMXProtocol
  ) throws(NativeError) {
    try NativeCalls.dmxReceiverForget(
      handle.raw, kind: kind, universe: universe, cidHigh: cid.high, cidLow: cid.low, address: address,
      physical: physical)
  }
}

extension NativeDmxNodes {
  /// Returns the counts since the socket was opened.
  package borrowing func counts() throws(NativeError) -> NativeDMXNodesCounts {
    try NativeCalls.dmxNodesCounts(handle.raw)
  }
}
