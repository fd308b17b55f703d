internal import CRustle

/// What a native meter measures, by the native side's numbers.
package struct NativeMeterConfiguration: Sendable {
  /// The weighting, in the order of the header.
  package enum Weighting: UInt32, Sendable {
    case a
    case c
    case z
  }

  /// The time constant, in the order of the header.
  package enum Time: UInt32, Sendable {
    case fast
    case slow
  }

  /// How much a channel counts in loudness, in the order of the header.
  package enum Channel: UInt32, Sendable {
    case front
    case surround
    case lowFrequency
  }

  /// Bands, by the header's numbers.
  package enum Bands: UInt32, Sendable {
    case none = 0
    case octave = 1
    case thirdOctave = 3
  }

  package let sampleRate: Double
  package let channels: [Channel]
  /// The channel that levels and bands are of; nil: all, the mean of their powers.
  package let metered: Int?
  package let weighting: Weighting
  package let time: Time
  package let offset: Double
  package let loudness: Bool
  package let bands: Bands
  /// Frequencies in Hz, ascending, with deviations in dB; empty: there is none to undo.
  package let response: [(frequency: Double, deviation: Double)]

  package init(
    sampleRate: Double, channels: [Channel], metered: Int?, weighting: Weighting, time: Time, offset: Double,
    loudness: Bool, bands: Bands, response: [(frequency: Double, deviation: Double)]
  ) {
    self.sampleRate = sampleRate
    self.channels = channels
    self.metered = metered
    self.weighting = weighting
    self.time = time
    self.offset = offset
    self.loudness = loudness
    self.bands = bands
    self.response = response
  }
}

/// What a native meter shows; see `RustleMeterReading`.
package struct NativeMeterReading: Sendable {
  package let seconds, level, equivalent, highest, lowest, peak, exposure: Double
  package let overloads: UInt64
  /// Not numbers when loudness is not measured.
  package let momentary, momentaryHighest, shortTerm, shortTermHighest, integrated, range, truePeak: Double
  package let place: Double
  /// 0 to 4.
  package let noiseClass: Int

  init(_ reading: RustleMeterReading) {
    seconds = reading.seconds
    level = reading.level
    equivalent = reading.equivalent
    highest = reading.highest
    lowest = reading.lowest
    peak = reading.peak
    exposure = reading.exposure
    overloads = reading.overloads
    momentary = reading.momentary
    momentaryHighest = reading.momentary_highest
    shortTerm = reading.short_term
    shortTermHighest = reading.short_term_highest
    integrated = reading.integrated
    range = reading.range
    truePeak = reading.true_peak
    place = reading.place
    noiseClass = Int(reading.noise_class)
  }
}

/// A native meter: the one owner of its handle. A call that comes while another one runs is refused.
package final class NativeMeter: Sendable {
  private let handle: NativeHandle

  package init(_ configuration: NativeMeterConfiguration) throws(NativeError) {
    try NativeLibrary.prepare()
    let channels = configuration.channels.map(\.rawValue)
    let points = configuration.response.map { RustleResponsePoint(frequency: $0.frequency, deviation: $0.deviation) }
    var raw: UInt64 = 0
    try unsafe channels.span.withUnsafeBufferPointer { channels throws(NativeError) in
      try unsafe points.span.withUnsafeBufferPointer { points throws(NativeError) in
        var record = unsafe RustleMeterConfiguration(
          sample_rate: configuration.sampleRate, offset: configuration.offset, channels: channels.baseAddress,
          channel_count: channels.count, response: points.baseAddress, response_count: points.count,
          metered: configuration.metered.map { UInt32(clamping: $0) } ?? UInt32.max,
          weighting: configuration.weighting.rawValue, time: configuration.time.rawValue,
          loudness: configuration.loudness ? 1 : 0, bands: configuration.bands.rawValue, reserved: 0)
        try unsafe NativeError.check { unsafe rustle_meter_new(&record, &raw, $0) }
      }
    }
    handle = NativeHandle(raw) { raw in _ = rustle_meter_free(raw, nil) }
  }

  /// Measures whole frames.
  package func process(_ samples: Span<Float>) throws(NativeError) {
    defer { extendLifetime(self) }
    try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
      try unsafe NativeError.check { unsafe rustle_meter_process(handle.raw, samples.baseAddress, samples.count, $0) }
    }
  }

  /// What the meter shows now.
  package func reading() throws(NativeError) -> NativeMeterReading {
    defer { extendLifetime(self) }
    var reading = RustleMeterReading()
    try unsafe NativeError.check { unsafe rustle_meter_read(handle.raw, &reading, $0) }
    return NativeMeterReading(reading)
  }

  /// The level that was exceeded for so many percent of the measurement; nil in its first 5 time constants.
  package func exceeded(percent: Double) throws(NativeError) -> Double? {
    defer { extendLifetime(self) }
    var level = 0.0
    try unsafe NativeError.check { unsafe rustle_meter_exceeded(handle.raw, percent, &level, $0) }
    return level.isNaN ? nil : level
  }

  /// The bands' centres in Hz and equivalent levels in dB relative to full scale.
  package func bands() throws(NativeError) -> [(center: Double, level: Double)] {
    defer { extendLifetime(self) }
    // More than a third of an octave has between 8 Hz and 384 kHz.
    var centers = [Double](repeating: 0, count: 64)
    var levels = centers
    var count = 0
    let capacity = centers.count
    var centerSpan = centers.mutableSpan
    var levelSpan = levels.mutableSpan
    try unsafe centerSpan.withUnsafeMutableBufferPointer { centers throws(NativeError) in
      try unsafe levelSpan.withUnsafeMutableBufferPointer { levels throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_meter_bands(handle.raw, centers.baseAddress, levels.baseAddress, capacity, &count, $0)
        }
      }
    }
    return (0..<min(count, capacity)).map { (centers[$0], levels[$0]) }
  }

  /// Begins a new measurement.
  package func restart() throws(NativeError) {
    defer { extendLifetime(self) }
    try unsafe NativeError.check { unsafe rustle_meter_restart(handle.raw, $0) }
  }

  /// The place of an average power in dB relative to full scale on the scale from 0 to 120, and the number of its class.
  package static func noiseScale(power: Double) throws(NativeError) -> (place: Double, noiseClass: Int) {
    try NativeLibrary.prepare()
    var (place, noiseClass): (Double, UInt32) = (0, 0)
    try unsafe NativeError.check { unsafe rustle_noise_scale(power, &place, &noiseClass, $0) }
    return (place, Int(noiseClass))
  }
}
