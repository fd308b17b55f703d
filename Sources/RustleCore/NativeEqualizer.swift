internal import CRustle

extension NativeEqualizerSettings {
  /// Returns the gains of the left and the right channel in dB, one for each frequency in Hz.
  package func response(
    at frequencies: [Double], sampleRate: Double
  ) throws(NativeError) -> (left: [Double], right: [Double]) {
    try NativeLibrary.prepare()
    return try unsafe withRecord { (record, size) throws(NativeError) in
      try unsafe Self.response(of: record, size, at: frequencies, sampleRate: sampleRate)
    }
  }

  /// Like `response(at:sampleRate:)`, for settings that are a record of `size` bytes already.
  fileprivate static func response(
    of record: UnsafeRawPointer, _ size: Int, at frequencies: [Double], sampleRate: Double
  ) throws(NativeError) -> (left: [Double], right: [Double]) {
    var left = [Double](repeating: 0, count: frequencies.count)
    var right = left
    var leftSpan = left.mutableSpan
    var rightSpan = right.mutableSpan
    try unsafe frequencies.span.withUnsafeBufferPointer { frequencies throws(NativeError) in
      try unsafe leftSpan.withUnsafeMutableBufferPointer { left throws(NativeError) in
        try unsafe rightSpan.withUnsafeMutableBufferPointer { right throws(NativeError) in
          try unsafe NativeError.check {
            unsafe rustle_equalizer_response_sized(
              record.assumingMemoryBound(to: RustleEqualizerSettings.self), size, sampleRate, frequencies.baseAddress,
              frequencies.count, left.baseAddress, left.count, right.baseAddress, right.count, $0)
          }
        }
      }
    }
    return (left, right)
  }
}

extension [NativeEqualizerBand] {
  /// Returns the gains with which the bands' common curve meets the targets, in dB, at their frequencies, and the greatest
  /// remaining distance.
  package func gains(
    for targets: [Double], sampleRate: Double
  ) throws(NativeError) -> (gains: [Double], distance: Double) {
    let lent = LentMemory()
    let bands = map { $0.record(in: lent) }
    var gains = [Double](repeating: 0, count: count)
    var room = gains.mutableSpan
    let distance = try NativeCalls.equalizerSolve(
      bands: bands.span, targets: targets.span, sampleRate: sampleRate, gains: &room)
    return (gains, distance)
  }
}

extension NativeEqualizer {
  /// Changes the settings; the sound follows within 40 ms of sound.
  ///
  /// - Parameter frequencies: the frequencies of the returned curves in Hz; may be empty. One record serves both calls.
  /// - Returns: the curves in dB, one value for each frequency.
  package func change(
    _ settings: NativeEqualizerSettings, responseAt frequencies: [Double], sampleRate: Double
  ) throws(NativeError) -> (left: [Double], right: [Double]) {
    defer { extendLifetime(self) }
    return try unsafe settings.withRecord { (record, size) throws(NativeError) in
      // First the call that changes nothing: an error leaves the previous settings.
      var curves: (left: [Double], right: [Double]) = ([], [])
      if !frequencies.isEmpty {
        curves = try unsafe NativeEqualizerSettings.response(
          of: record, size, at: frequencies, sampleRate: sampleRate)
      }
      try unsafe NativeError.check {
        unsafe rustle_equalizer_change_sized(
          handle.raw, record.assumingMemoryBound(to: RustleEqualizerSettings.self), size, $0)
      }
      return curves
    }
  }
}
