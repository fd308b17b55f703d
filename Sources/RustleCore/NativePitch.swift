internal import CRustle

/// What a native pitch tracker looks for, and how, by the native side's numbers.
package struct NativePitchConfiguration: Sendable {
  /// The methods, in the order of the header.
  package enum Method: UInt32, Sendable {
    case harmonic
    case yin
    case mpm
    case hps
    case peak
  }

  /// How the pitch of each frame is chosen, in the order of the header.
  package enum Decoding: UInt32, Sendable {
    case frame
    case viterbi
  }

  package let sampleRate: Double
  package let lowest: Double
  package let highest: Double
  package let method: Method
  /// In samples; nil: chosen.
  package let window: Int?
  package let hop: Int

  /// - Parameter window: above 0, or nil.
  package init(sampleRate: Double, lowest: Double, highest: Double, method: Method, window: Int?, hop: Int) {
    self.sampleRate = sampleRate
    self.lowest = lowest
    self.highest = highest
    self.method = method
    self.window = window
    self.hop = hop
  }

  var record: RustlePitchConfiguration {
    RustlePitchConfiguration(
      sample_rate: sampleRate, lowest: lowest, highest: highest, method: method.rawValue,
      window: window.map { UInt32(clamping: $0) } ?? 0, hop: UInt32(clamping: hop), reserved: 0)
  }
}

/// The pitch at one time; see `RustlePitchFrame`.
package struct NativePitchFrame: Sendable {
  package let sample: UInt64
  /// In Hz; 0: none.
  package let frequency: Double
  package let confidence, deviation, inharmonicity, harmonicity, level: Double

  init(_ frame: RustlePitchFrame) {
    sample = frame.sample
    frequency = frame.frequency
    confidence = frame.confidence
    deviation = frame.deviation
    inharmonicity = frame.inharmonicity
    harmonicity = frame.harmonicity
    level = frame.level
  }
}

/// A native pitch tracker: the one owner of its handle.
package struct NativePitch: ~Copyable, Sendable {
  private let handle: NativeHandle
  private(set) var room = RecordRoom(of: RustlePitchFrame())
  /// The samples of a frame.
  package let window: Int
  /// The frequencies that are looked for, in Hz.
  package let range: ClosedRange<Double>

  /// A tracker at the beginning of a signal.
  package init(_ configuration: NativePitchConfiguration) throws(NativeError) {
    try NativeLibrary.prepare()
    var record = configuration.record
    var raw: UInt64 = 0
    try unsafe NativeError.check { unsafe rustle_pitch_new(&record, &raw, $0) }
    let handle = NativeHandle(raw) { raw in _ = rustle_pitch_free(raw, nil) }
    var description = RustlePitchDescription()
    try unsafe NativeError.check { unsafe rustle_pitch_describe(raw, &description, $0) }
    self.handle = handle
    window = Int(description.window)
    range = description.lowest...max(description.lowest, description.highest)
  }

  /// Takes in the signal's next samples and hands each frame that they complete to `found`.
  package mutating func process(_ samples: Span<Float>, found: (NativePitchFrame) -> Void) throws(NativeError) {
    let pitch = handle.raw
    try room.fill(from: samples, found: { found(NativePitchFrame($0)) }) { (samples, room) throws(NativeError) in
      var (taken, written) = (0, 0)
      try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
        try unsafe room.withUnsafeMutableBufferPointer { frames throws(NativeError) in
          try unsafe NativeError.check {
            unsafe rustle_pitch_process(
              pitch, samples.baseAddress, samples.count, frames.baseAddress, frames.count, &taken, &written, $0)
          }
        }
      }
      return (taken, written)
    }
  }

  /// Forgets the signal; the next sample is the first of another.
  package mutating func reset() {
    // Its one owner calls nothing beside it, which would be the one reason to refuse it.
    let status = rustle_pitch_reset(handle.raw, nil)
    assert(status == RUSTLE_OK)
  }

  /// The frames of a whole signal.
  package static func contour(
    of samples: Span<Float>, _ configuration: NativePitchConfiguration, decoding: NativePitchConfiguration.Decoding
  ) throws(NativeError) -> [NativePitchFrame] {
    try NativeLibrary.prepare()
    var record = configuration.record
    var count = 0
    try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_pitch_contour(
          &record, decoding.rawValue, samples.baseAddress, samples.count, nil, 0, &count, $0)
      }
    }
    var frames = [RustlePitchFrame](repeating: RustlePitchFrame(), count: count)
    var room = frames.mutableSpan
    try unsafe samples.withUnsafeBufferPointer { samples throws(NativeError) in
      try unsafe room.withUnsafeMutableBufferPointer { frames throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_pitch_contour(
            &record, decoding.rawValue, samples.baseAddress, samples.count, frames.baseAddress, frames.count, &count, $0
          )
        }
      }
    }
    return frames.map(NativePitchFrame.init)
  }
}
