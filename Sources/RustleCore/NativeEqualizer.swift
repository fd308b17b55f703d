extension NativeEqualizerSettings {
  /// Returns the gains of the left and the right channel in dB, one for each frequency in Hz.
  package func response(
    at frequencies: [Double], sampleRate: Double
  ) throws(NativeError) -> (left: [Double], right: [Double]) {
    var left = [Double](repeating: 0, count: frequencies.count)
    var right = left
    var leftRoom = left.mutableSpan
    var rightRoom = right.mutableSpan
    try NativeCalls.equalizerResponse(
      settings: self, sampleRate: sampleRate, frequencies: frequencies.span, left: &leftRoom, right: &rightRoom)
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
  /// - Parameter frequencies: the frequencies of the returned curves in Hz; may be empty.
  /// - Returns: the curves in dB, one value for each frequency.
  package func change(
    _ settings: NativeEqualizerSettings, responseAt frequencies: [Double]
  ) throws(NativeError) -> (left: [Double], right: [Double]) {
    var left = [Double](repeating: 0, count: frequencies.count)
    var right = left
    var leftRoom = left.mutableSpan
    var rightRoom = right.mutableSpan
    try change(settings: settings, frequencies: frequencies.span, left: &leftRoom, right: &rightRoom)
    return (left, right)
  }
}
