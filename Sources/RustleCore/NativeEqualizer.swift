internal import CRustle

/// A band of an equalizer, by the native side's numbers.
package struct NativeEqualizerBand: Sendable, Hashable {
  /// The shape, in the order of the header.
  package enum Kind: UInt32, Sendable {
    case peaking
    case lowShelf
    case highShelf
    case lowPass
    case highPass
  }

  package var kind: Kind
  package var frequency: Double
  package var gain: Double
  package var q: Double

  package init(kind: Kind, frequency: Double, gain: Double, q: Double) {
    self.kind = kind
    self.frequency = frequency
    self.gain = gain
    self.q = q
  }

  fileprivate var record: RustleEqualizerBand {
    RustleEqualizerBand(frequency: frequency, gain: gain, q: q, kind: kind.rawValue, reserved: 0)
  }
}

/// Settings of an equalizer.
package struct NativeEqualizerSettings: Sendable, Hashable {
  package var left: [NativeEqualizerBand]
  package var right: [NativeEqualizerBand]
  package var preamp: Double

  package init(left: [NativeEqualizerBand], right: [NativeEqualizerBand], preamp: Double) {
    self.left = left
    self.right = right
    self.preamp = preamp
  }

  /// Calls `body` with the native record, which is valid during the call.
  fileprivate func withRecord<Result>(
    _ body: (UnsafePointer<RustleEqualizerSettings>) throws(NativeError) -> Result
  ) throws(NativeError) -> Result {
    let (left, right) = (left.map(\.record), right.map(\.record))
    return try unsafe left.span.withUnsafeBufferPointer { left throws(NativeError) in
      try unsafe right.span.withUnsafeBufferPointer { right throws(NativeError) in
        var record = unsafe RustleEqualizerSettings(
          left: left.baseAddress, left_count: left.count, right: right.baseAddress, right_count: right.count,
          preamp: preamp)
        return try unsafe withUnsafePointer(to: &record) { record throws(NativeError) in try unsafe body(record) }
      }
    }
  }

  /// The factors on the amplitudes of sines in dB, left and right, one for each frequency in Hz.
  package func response(
    at frequencies: [Double], sampleRate: Double
  ) throws(NativeError) -> (left: [Double], right: [Double]) {
    try NativeLibrary.prepare()
    return try unsafe withRecord { record throws(NativeError) in
      try unsafe Self.response(of: record, at: frequencies, sampleRate: sampleRate)
    }
  }

  fileprivate static func response(
    of record: UnsafePointer<RustleEqualizerSettings>, at frequencies: [Double], sampleRate: Double
  ) throws(NativeError) -> (left: [Double], right: [Double]) {
    var left = [Double](repeating: 0, count: frequencies.count)
    var right = left
    var leftSpan = left.mutableSpan
    var rightSpan = right.mutableSpan
    try unsafe frequencies.span.withUnsafeBufferPointer { frequencies throws(NativeError) in
      try unsafe leftSpan.withUnsafeMutableBufferPointer { left throws(NativeError) in
        try unsafe rightSpan.withUnsafeMutableBufferPointer { right throws(NativeError) in
          try unsafe NativeError.check {
            unsafe rustle_equalizer_response(
              record, sampleRate, frequencies.baseAddress, left.baseAddress, right.baseAddress, frequencies.count, $0)
          }
        }
      }
    }
    return (left, right)
  }

  /// The preamplification in dB that keeps a full-scale sine of any frequency below full scale.
  package func automaticPreamp(sampleRate: Double) throws(NativeError) -> Double {
    try NativeLibrary.prepare()
    var preamp = 0.0
    try unsafe withRecord { record throws(NativeError) in
      try unsafe NativeError.check { unsafe rustle_equalizer_preamp(record, sampleRate, &preamp, $0) }
    }
    return preamp
  }
}

extension [NativeEqualizerBand] {
  /// The bands with gains such that their common curve goes through the targets, in dB, at their frequencies, and the greatest
  /// distance that is left.
  package func solved(
    for targets: [Double], sampleRate: Double
  ) throws(NativeError) -> (bands: [NativeEqualizerBand], distance: Double) {
    try NativeLibrary.prepare()
    guard targets.count == count else {
      throw NativeError(status: .invalidLength, message: "targets: expected \(count) gains, got \(targets.count)")
    }
    var records = map(\.record)
    var distance = 0.0
    var span = records.mutableSpan
    try unsafe span.withUnsafeMutableBufferPointer { bands throws(NativeError) in
      try unsafe targets.span.withUnsafeBufferPointer { targets throws(NativeError) in
        try unsafe NativeError.check {
          unsafe rustle_equalizer_solve(
            bands.baseAddress, targets.baseAddress, bands.count, sampleRate, &distance, $0)
        }
      }
    }
    let solved = zip(self, records).map { band, record in
      Element(kind: band.kind, frequency: band.frequency, gain: record.gain, q: band.q)
    }
    return (solved, distance)
  }
}

/// A native equalizer: the one owner of its handle. Settings may be changed by any task; a call that processes a block while
/// another one does is refused.
package final class NativeEqualizer: Sendable {
  private let handle: NativeHandle
  private let sampleRate: Double

  /// - Parameters:
  ///   - channels: 1 or 2.
  ///   - bands: the most bands of a channel, at most 64.
  package init(
    sampleRate: Double, channels: Int, bands: Int, settings: NativeEqualizerSettings
  ) throws(NativeError) {
    try NativeLibrary.prepare()
    self.sampleRate = sampleRate
    var raw: UInt64 = 0
    try unsafe settings.withRecord { record throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_equalizer_new(sampleRate, max(0, channels), max(0, bands), record, &raw, $0)
      }
    }
    handle = NativeHandle(raw) { raw in _ = rustle_equalizer_free(raw, nil) }
  }

  /// Changes the settings; the sound follows within 40 ms of it.
  ///
  /// - Parameter frequencies: in Hz, where the settings' curves are wanted too: they are made into a record once for both.
  /// - Returns: the curves in dB, one value for each frequency.
  package func change(
    _ settings: NativeEqualizerSettings, responseAt frequencies: [Double]
  ) throws(NativeError) -> (left: [Double], right: [Double]) {
    defer { extendLifetime(self) }
    return try unsafe settings.withRecord { record throws(NativeError) in
      try unsafe NativeError.check { unsafe rustle_equalizer_change(handle.raw, record, $0) }
      if frequencies.isEmpty { return ([], []) }
      return try unsafe NativeEqualizerSettings.response(of: record, at: frequencies, sampleRate: sampleRate)
    }
  }

  /// Lets the sound through as it is, or ends that.
  package func setBypassed(_ isBypassed: Bool) throws(NativeError) {
    defer { extendLifetime(self) }
    try unsafe NativeError.check { unsafe rustle_equalizer_set_bypassed(handle.raw, isBypassed ? 1 : 0, $0) }
  }

  /// Replaces whole frames by their equalized form.
  package func process(_ block: inout MutableSpan<Float>) throws(NativeError) {
    defer { extendLifetime(self) }
    try unsafe block.withUnsafeMutableBufferPointer { block throws(NativeError) in
      try unsafe NativeError.check { unsafe rustle_equalizer_process(handle.raw, block.baseAddress, block.count, $0) }
    }
  }

  /// Forgets the sound so far.
  package func reset() throws(NativeError) {
    defer { extendLifetime(self) }
    try unsafe NativeError.check { unsafe rustle_equalizer_reset(handle.raw, $0) }
  }
}
