internal import RustleCore

/// What an ``Equalizer`` works with: the native one, or another one in tests.
protocol EqualizerEngine: AnyObject, Sendable {
  /// Changes the settings, and gives their curves in dB at `frequencies` in Hz for a sample rate in Hz; none where there are no
  /// frequencies.
  func change(
    _ settings: NativeEqualizerSettings, responseAt frequencies: [Double], sampleRate: Double
  ) throws(NativeError) -> (left: [Double], right: [Double])

  /// Lets the sound through as it is, or ends that.
  func setBypassed(_ isBypassed: Bool) throws(NativeError)

  /// Replaces whole frames by their equalized form, without allocating or waiting.
  func process(_ block: inout MutableSpan<Float>) throws(NativeError)

  /// Forgets the sound so far.
  func reset() throws(NativeError)
}

extension NativeEqualizer: EqualizerEngine {}
