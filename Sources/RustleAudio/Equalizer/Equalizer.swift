internal import RustleCore

/// An equalizer of one or two channels whose settings any task may change while sound runs through it.
///
/// ```swift
/// let equalizer = try Equalizer(format: format, settings: .graphic(gains: gains))
/// for try await buffer in try await input.buffers() {
///   try writer.append(equalizer.process(buffer))
/// }
/// // from any task, meanwhile:
/// try await equalizer.setGain(6, ofBand: 3, on: .left)
/// ```
///
/// Changes go through the actor, one after the other; the sound does not: ``process(_:)`` waits for nobody. A change reaches it
/// over 40 ms, without a click. Filters are computed in double precision, the output is not delayed, and without gains it is
/// the input, bit for bit.
public actor Equalizer {
  /// The rate and the channels that it takes.
  public nonisolated let format: AudioFormat
  /// What is wanted; in force unless ``isBypassed``.
  public private(set) var settings: EqualizerSettings
  /// Whether the sound goes through as it is.
  public private(set) var isBypassed = false

  private nonisolated let equalizer: NativeEqualizer
  private nonisolated let levelsShown = Broadcast<EqualizerLevels>()
  private let responsesShown = Broadcast<EqualizerResponse>()

  /// - Parameters:
  ///   - format: of one or two channels.
  ///   - settings: in force from the first sample on. Of a mono equalizer the bands of the left channel.
  ///   - bandCapacity: the most bands of a channel that later settings may have, up to 64.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(
    format: AudioFormat, settings: EqualizerSettings = .flat, bandCapacity: Int = 32
  ) throws(AudioError) {
    try settings.check(sampleRate: format.sampleRate)
    let bands = max(bandCapacity, settings.left.count, settings.right.count)
    self.format = format
    self.settings = settings
    do {
      equalizer = try NativeEqualizer(
        sampleRate: format.sampleRate, channels: format.channels, bands: bands, settings: settings.native)
    } catch {
      throw AudioError(error)
    }
  }

  /// Equalizes a buffer.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/formatMismatch``, or ``AudioError/Code/wrongState`` while another task
  ///   processes a buffer.
  public nonisolated func process(_ buffer: AudioBuffer) throws(AudioError) -> AudioBuffer {
    try buffer.expect(format)
    var samples = buffer.samples
    var span = samples.mutableSpan
    try process(&span)
    levelsShown.show(EqualizerLevels(before: buffer.samples, after: samples, channels: format.channels))
    return AudioBuffer(
      format: format, samples: samples, position: buffer.position, lostFrames: buffer.lostFrames,
      overruns: buffer.overruns)
  }

  /// Replaces whole frames by their equalized form, without allocating or waiting: for realtime threads.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for samples that are no whole frames, or
  ///   ``AudioError/Code/wrongState`` while another task processes samples; they are as they were then.
  public nonisolated func process(_ samples: inout MutableSpan<Float>) throws(AudioError) {
    do {
      try equalizer.process(&samples)
    } catch {
      throw AudioError(error)
    }
  }

  /// Changes the settings.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; nothing is changed then.
  public func set(_ settings: EqualizerSettings) throws(AudioError) {
    try settings.check(sampleRate: format.sampleRate)
    do {
      try equalizer.change(settings.native)
    } catch {
      throw AudioError(error)
    }
    self.settings = settings
    showResponse()
  }

  /// A channel whose bands are changed.
  public enum Channel: Sendable, Hashable, CaseIterable {
    /// The left or only one.
    case left
    /// The right one.
    case right
    /// Both; the only one of a mono equalizer.
    case both
  }

  /// Changes the gain of one band.
  ///
  /// - Parameters:
  ///   - gain: in dB, -24 to 24.
  ///   - band: counted from 0.
  ///   - channel: the channel, or both.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; nothing is changed then.
  public func setGain(_ gain: Double, ofBand band: Int, on channel: Channel = .both) throws(AudioError) {
    var settings = settings
    try settings.setGain(gain, ofBand: band, on: channel, channels: format.channels)
    try set(settings)
  }

  /// Lets the sound through as it is, or ends that, without a click. Settings that are changed meanwhile are kept for its end.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public func setBypassed(_ isBypassed: Bool) throws(AudioError) {
    do {
      try equalizer.setBypassed(isBypassed)
    } catch {
      throw AudioError(error)
    }
    self.isBypassed = isBypassed
    showResponse()
  }

  /// Forgets the sound so far; a change that is under way is over at once. Between two recordings.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/wrongState`` while another task processes a buffer.
  public nonisolated func reset() throws(AudioError) {
    do {
      try equalizer.reset()
    } catch {
      throw AudioError(error)
    }
  }

  /// The levels before and after, of each buffer from now on that is processed; a listener that is too slow sees the newest.
  public nonisolated func levels() -> AsyncStream<EqualizerLevels> { levelsShown.stream() }

  /// The curves that are in force: now, and after each change; a listener that is too slow sees the newest.
  public func responses() -> AsyncStream<EqualizerResponse> { responsesShown.stream(after: response) }

  /// The curves that are in force.
  private var response: EqualizerResponse? {
    let settings = isBypassed ? .flat : settings
    let frequencies = EqualizerResponse.audibleFrequencies(sampleRate: format.sampleRate)
    // What is in force was checked.
    return try? settings.response(at: frequencies, sampleRate: format.sampleRate)
  }

  private func showResponse() { responsesShown.show(response) }
}

extension EqualizerSettings {
  /// Changes the gain of one band of an equalizer of one or two channels.
  mutating func setGain(
    _ gain: Double, ofBand band: Int, on channel: Equalizer.Channel, channels: Int
  ) throws(AudioError) {
    func set(_ bands: inout [EqualizerBand]) throws(AudioError) {
      guard bands.indices.contains(band) else {
        throw .validation("band", expected: "one below \(bands.count)", got: "\(band)")
      }
      bands[band].gain = gain
    }
    if channel != .right { try set(&left) }
    if channel == .right || channel == .both && channels == 2 { try set(&right) }
  }
}
