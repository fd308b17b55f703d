internal import CRustle

extension NativeMapper {
  /// Returns how far the mapping is.
  package func progress() throws(NativeError) -> NativeMapperDescription {
    defer { extendLifetime(self) }
    return NativeMapperDescription(try describe(handle.raw, RUSTLE_DESCRIBE_MAPPER, RustleMapperDescription()))
  }

  /// Returns the bytes of a file.
  package func file(_ kind: NativeMapperText) throws(NativeError) -> [UInt8] {
    try readBytes(capacity: 65_536) { (room) throws(NativeError) in try text(kind: kind, text: &room) }
  }

  /// Returns the numbers of the rig's universes, as `nativeShowArtNet` says, and what is to be lit: 512 slots for each.
  package func levels() throws(NativeError) -> (universes: [UInt32], slots: [UInt8]) {
    var universes = [UInt32](repeating: 0, count: description.universes)
    var slots = [UInt8](repeating: 0, count: description.universes * 512)
    var universeRoom = universes.mutableSpan
    var slotRoom = slots.mutableSpan
    _ = try levels(&universeRoom, slots: &slotRoom)
    return (universes, slots)
  }
}

extension NativeFrameReader {
  /// Returns what was read so far.
  package func progress() throws(NativeError) -> NativeFrameReaderDescription {
    defer { extendLifetime(self) }
    return NativeFrameReaderDescription(
      try describe(handle.raw, RUSTLE_DESCRIBE_FRAME_READER, RustleFrameReaderDescription()))
  }

  /// Takes the frame that has waited longest; nil: none waits.
  package func frame(pixels: Int) throws(NativeError) -> [UInt8]? {
    var frame = [UInt8](repeating: 0, count: pixels)
    var room = frame.mutableSpan
    let length = try next(&room)
    return length == 0 ? nil : frame
  }
}

extension NativeCamera {
  /// Returns where the fixtures are, as JSON.
  package func truth() throws(NativeError) -> [UInt8] {
    try readBytes(capacity: 65_536) { (room) throws(NativeError) in try truth(&room) }
  }

  /// Films the next frame; nil for one that is dropped.
  package func frame(at time: UInt64, pixels: Int) throws(NativeError) -> [UInt8]? {
    var frame = [UInt8](repeating: 0, count: pixels)
    var room = frame.mutableSpan
    let length = try self.frame(time: time, frame: &room)
    return length == 0 ? nil : frame
  }
}

extension NativeCalls {
  /// Makes a file of two others.
  package static func report(
    _ kind: NativeMappingReport, _ one: [UInt8], _ other: [UInt8]
  ) throws(NativeError) -> [UInt8] {
    try readBytes(capacity: 65_536) { (room) throws(NativeError) in
      try mappingReport(kind: kind, one: one.span, other: other.span, text: &room)
    }
  }
}
