internal import CRustle

/// A native pitch tracker: the one owner of its handle.
package struct NativePitch: ~Copyable, Sendable {
  private let handle: NativeHandle
  private(set) var room = RecordRoom(of: RustlePitchFrame())
  /// The length of the longest and of the shortest analysis frame in samples.
  package let window, shortestWindow: Int
  /// The range of detectable frequencies in Hz.
  package let range: ClosedRange<Double>

  /// Creates a tracker at the beginning of a signal.
  package init(_ configuration: NativePitchConfiguration) throws(NativeError) {
    let handle = try NativeHandle(RUSTLE_NEW_PITCH, configuration)
    let description = try handle.description(RUSTLE_DESCRIBE_PITCH, RustlePitchDescription())
    self.handle = handle
    window = Int(description.window)
    shortestWindow = Int(description.shortest)
    range = description.lowest...max(description.lowest, description.highest)
  }

  /// Processes the signal's next samples and passes each completed frame to `found`.
  package mutating func process(_ samples: Span<Float>, found: (NativePitchFrame) -> Void) throws(NativeError) {
    let pitch = handle.raw
    try room.fill(from: samples, found: { found(NativePitchFrame($0)) }) { (samples, room) throws(NativeError) in
      try NativeCalls.pitchProcess(pitch, samples: samples, frames: &room)
    }
  }

  /// Ends the signal, and passes each frame of its end to `found`.
  package mutating func finish(found: (NativePitchFrame) -> Void) throws(NativeError) {
    let pitch = handle.raw
    try room.fillFromEnd(found: { found(NativePitchFrame($0)) }) { room throws(NativeError) in
      try NativeCalls.pitchFinish(pitch, frames: &room)
    }
  }

  /// Forgets the signal; the next sample is the first of another.
  package mutating func reset() {
    // The only refusal is a concurrent call, which the one owner does not make.
    do { try handle.reset() } catch { assertionFailure(error.message) }
  }

  /// Returns the frames of a whole signal.
  package static func contour(
    of samples: Span<Float>, _ configuration: NativePitchConfiguration, decoding: NativeDecoding
  ) throws(NativeError) -> [NativePitchFrame] {
    var frames: [RustlePitchFrame] = []
    for _ in 0..<2 {
      // The first call, without room, returns the number of frames.
      var room = frames.mutableSpan
      let count = try NativeCalls.pitchContour(
        configuration: configuration, decoding: decoding, samples: samples, frames: &room)
      if frames.isEmpty { frames = [RustlePitchFrame](repeating: RustlePitchFrame(), count: count) }
    }
    return frames.map(NativePitchFrame.init)
  }
}
