internal import CRustle

extension NativePitch {
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
