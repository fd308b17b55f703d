internal import RustleCore

/// The engine of an ``Equalizer``: the native one, or another one in tests.
protocol EqualizerEngine: AnyObject, Sendable {
  /// Changes the settings, and returns their curves in dB at `frequencies` in Hz for a sample rate in Hz; none without
  /// frequencies.
  func change(
    _ settings: NativeEqualizerSettings, responseAt frequencies: [Double]
  ) throws(NativeError) -> (left: [Double], right: [Double])

  /// Passes the sound unchanged, or ends that.
  func setBypassed(_ isBypassed: Bool) throws(NativeError)

  /// Replaces whole frames by their equalized form, without allocating or waiting.
  func process(_ block: inout MutableSpan<Float>) throws(NativeError)

  /// Discards the sound so far.
  func reset() throws(NativeError)
}

extension NativeEqualizer: EqualizerEngine {}
