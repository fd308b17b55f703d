internal import CRustle

/// Reads the records of a show's frames.
package typealias ShowReader<Native: NativeElement, Value: Sendable> = ElementReader<Native, Value>

extension NativeShow {
  /// Returns what is in the show and in its rig.
  package borrowing func described() throws(NativeError) -> NativeShowDescription {
    try NativeCalls.showDescribe(handle.raw)
  }

  /// Returns the texts of a kind, as many as there are.
  package borrowing func texts(_ kind: NativeShowText, count: Int) throws(NativeError) -> [String] {
    var texts: [String] = []
    for place in 0..<count {
      texts.append(
        try readText { (room) throws(NativeError) in
          try NativeCalls.showText(handle.raw, kind: kind, place: place, text: &room)
        })
    }
    return texts
  }
}

extension NativeProfile {
  /// Returns the notes.
  package func notes() throws(NativeError) -> [String] {
    var notes: [String] = []
    for index in 0..<description.notes { notes.append(try text(.note, index)) }
    return notes
  }

  /// Returns a text; empty past the last.
  package func text(_ kind: NativeProfileText, _ index: Int) throws(NativeError) -> String {
    try readText { (room) throws(NativeError) in try text(kind: kind, index: index, text: &room) }
  }
}

/// Reads a text whose length is known only afterwards.
private func readText(
  _ read: (inout MutableSpan<UInt8>) throws(NativeError) -> Int
) throws(NativeError) -> String {
  let bytes = try readBytes(capacity: 256, read)
  return String(decoding: bytes, as: UTF8.self)
}

/// Reads bytes whose number is known only afterwards: again, with as much room as the first reading wanted.
func readBytes(
  capacity: Int, _ read: (inout MutableSpan<UInt8>) throws(NativeError) -> Int
) throws(NativeError) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: capacity)
  while true {
    var room = bytes.mutableSpan
    let length = try read(&room)
    if length <= bytes.count { return Array(bytes.prefix(length)) }
    bytes = [UInt8](repeating: 0, count: length)
  }
}

/// A session of a show by its number. A number that outlives its session is stale: a call with it is refused.
package struct ShowSessionID: Sendable, Hashable {
  private let session: SessionID

  /// The session behind a stream of a show.
  package init<Value>(of stream: EngineStream<Value>) { session = stream.core.session.id }

  /// Gives the show an input.
  package func input(_ kind: NativeShowInput, place: Int = 0, value: Double = 0) throws(NativeError) {
    try NativeCalls.showInput(session.raw, kind: kind, place: place, value: value)
  }

  /// Changes the tempo.
  package func setTempo(_ beatsAMinute: Double) throws(NativeError) {
    try input(.tempo, value: beatsAMinute)
  }

  /// Replaces a scene by one of JSON.
  package func replace(scene place: Int, with json: String) throws(NativeError) {
    try NativeCalls.showReplace(session.raw, scene: NativeShowScene(json: json, place: place))
  }

  /// Has the show follow the smooth beats of a clock from its count on.
  package func follow(_ clock: TempoHandle) throws(NativeError) {
    try NativeCalls.showAttach(session.raw, sender: clock.raw)
  }

  /// Adds a sender.
  package func attach(_ sender: DMXSessionID) throws(NativeError) {
    try NativeCalls.showAttach(session.raw, sender: sender.session.raw)
  }

  /// Returns the last frame, the numbers of this many universes and their slots.
  package func levels(
    universes count: Int
  ) throws(NativeError) -> (frame: NativeShowFrame, universes: [UInt32], slots: [UInt8]) {
    var universes = [UInt32](repeating: 0, count: count)
    var slots = [UInt8](repeating: 0, count: count * 512)
    var places = universes.mutableSpan
    var room = slots.mutableSpan
    let frame = try NativeCalls.showLevels(session.raw, universes: &places, slots: &room)
    return (frame, universes, slots)
  }

  /// Draws the last frame.
  package func picture(_ settings: NativePictureSettings) throws(NativeError) -> [UInt8] {
    // As many bytes as there are pixels and colours; files have fewer, except for the smallest pictures.
    let capacity = max(4_096, settings.width * settings.height * 4)
    return try readBytes(capacity: capacity) { (room) throws(NativeError) in
      try NativeCalls.showPicture(session.raw, settings: settings, bytes: &room)
    }
  }
}

extension NativeShowConfiguration {
  /// The senders whose universes the show has, one of each protocol.
  package mutating func send(sacn: DMXSessionID?, artNet: DMXSessionID?) {
    self.sacn = sacn?.session.raw ?? 0
    self.artNet = artNet?.session.raw ?? 0
  }

  /// The clock whose beats the show has from its beginning.
  package mutating func follow(_ clock: TempoHandle?) { self.clock = clock?.raw ?? 0 }
}

/// In place of a cue or a scene of a report: none.
package let nativeShowNone = Int(UInt32.max)
/// Added to the Port-Addresses of Art-Net in a frame.
package let nativeShowArtNet = UInt32(RUSTLE_SHOW_ART_NET)
