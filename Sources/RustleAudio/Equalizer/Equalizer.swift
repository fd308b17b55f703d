internal import Foundation
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
/// Changes go through the actor, one after the other; the sound does not: ``process(_:)->_`` never waits. A change takes effect
/// as a ramp of 40 ms, without a click. Filters are computed in double precision, without delay, and without gains the output is
/// the input, bit for bit.
public actor Equalizer {
  /// The rate and the channels of the sound.
  public nonisolated let format: AudioFormat
  /// The settings; in force unless ``isBypassed``.
  public private(set) var settings: EqualizerSettings
  /// Whether the sound passes unchanged.
  public private(set) var isBypassed: Bool

  private nonisolated let equalizer: any EqualizerEngine
  private nonisolated let levelsShown = Broadcast<EqualizerLevels>()
  private let responsesShown = Broadcast<EqualizerResponse>()
  /// The frequencies of the curves in Hz.
  private let frequencies: [Double]
  /// The curves of ``settings``; nil until their first use.
  private var curves: EqualizerResponse?

  /// - Parameters:
  ///   - format: of one or two channels.
  ///   - settings: in force from the first sample on. A mono equalizer has the bands of the left channel.
  ///   - bandCapacity: the most bands of a channel that later settings may have, up to 64.
  ///   - isBypassed: whether the sound is left unchanged from the first sample on, without a crossfade.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(
    format: AudioFormat, settings: EqualizerSettings = .flat, bandCapacity: Int = 32, isBypassed: Bool = false
  ) throws(AudioError) {
    let bands = max(bandCapacity, settings.left.count, settings.right.count)
    try self.init(format: format, settings: settings, isBypassed: isBypassed) { settings throws(NativeError) in
      let engine = try NativeEqualizer(
        NativeEqualizerConfiguration(
          sampleRate: format.sampleRate, channels: format.channels, bands: bands, settings: settings))
      guard isBypassed else { return engine }
      try engine.setBypassed(true)
      // Completes the change at once.
      try engine.reset()
      return engine
    }
  }

  /// Creates an equalizer over the caller's engine.
  init(
    format: AudioFormat, settings: EqualizerSettings, isBypassed: Bool = false,
    makeEngine: (NativeEqualizerSettings) throws(NativeError) -> any EqualizerEngine
  ) throws(AudioError) {
    try settings.check(sampleRate: format.sampleRate)
    self.format = format
    self.settings = settings
    self.isBypassed = isBypassed
    frequencies = EqualizerResponse.audibleFrequencies(sampleRate: format.sampleRate)
    equalizer = try AudioError.rethrowing { () throws(NativeError) in try makeEngine(settings.native) }
  }

  /// Equalizes a buffer.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/formatMismatch``, or ``AudioError/Code/wrongState`` while another task
  ///   processes a buffer.
  public nonisolated func process(_ buffer: PCMBuffer) throws(AudioError) -> PCMBuffer {
    try buffer.expect(format)
    var samples = buffer.samples
    var span = samples.mutableSpan
    try process(&span)
    levelsShown.show(EqualizerLevels(before: buffer.samples, after: samples, channels: format.channels))
    return PCMBuffer(
      format: format, wholeFrames: samples, position: buffer.position, droppedFrames: buffer.droppedFrames,
      overruns: buffer.overruns)
  }

  /// Replaces whole frames by their equalized form, without allocating or waiting: for realtime threads.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for samples that are not whole frames, or
  ///   ``AudioError/Code/wrongState`` while another task processes samples; the samples stay unchanged.
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
    // The curves are computed with the change if they are in use.
    let frequencies = responsesShown.hasListeners ? frequencies : []
    let (left, right) = try AudioError.rethrowing { () throws(NativeError) in
      try equalizer.change(settings.native, responseAt: frequencies)
    }
    curves = frequencies.isEmpty ? nil : EqualizerResponse(frequencies: frequencies, left: left, right: right)
    self.settings = settings
    responsesShown.show(response)
  }

  /// Makes a change in one turn of the actor.
  /// - Returns: the resulting state, and the error of a refused part of the change.
  func apply(_ change: EqualizerChange) -> (settings: EqualizerSettings, isBypassed: Bool, refusal: AudioError?) {
    var refusal: AudioError?
    do throws(AudioError) {
      if let settings = change.settings { try set(settings) }
    } catch {
      refusal = error
    }
    do throws(AudioError) {
      if let isBypassed = change.isBypassed { try setBypassed(isBypassed) }
    } catch {
      refusal = error
    }
    return (settings, isBypassed, refusal)
  }

  /// The channel of a changed band.
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

  /// Passes the sound unchanged, or ends that, without a click. Changes of the settings meanwhile take effect at its end.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public func setBypassed(_ isBypassed: Bool) throws(AudioError) {
    try AudioError.rethrowing { () throws(NativeError) in try equalizer.setBypassed(isBypassed) }
    self.isBypassed = isBypassed
    responsesShown.show(response)
  }

  /// Discards the sound so far and completes a running change at once. For use between two recordings.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/wrongState`` while another task processes a buffer.
  public nonisolated func reset() throws(AudioError) {
    try AudioError.rethrowing { () throws(NativeError) in try equalizer.reset() }
  }

  /// The levels before and after, of each processed buffer from now on; a consumer that is too slow receives the newest.
  public nonisolated func levels() -> AsyncStream<EqualizerLevels> { levelsShown.stream() }

  /// The curves in force: now, and after each change; a consumer that is too slow receives the newest.
  public func responses() -> AsyncStream<EqualizerResponse> { responsesShown.stream(after: response) }

  /// The curves in force.
  private var response: EqualizerResponse? {
    if isBypassed {
      let flat = [Double](repeating: 0, count: frequencies.count)
      return EqualizerResponse(frequencies: frequencies, left: flat, right: flat)
    }
    // Settings in force are valid.
    if curves == nil { curves = try? settings.response(at: frequencies, sampleRate: format.sampleRate) }
    return curves
  }
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

/// The levels of a buffer before and after an equalizer, in dBFS.
public struct EqualizerLevels: Sendable, Hashable {
  /// The levels before the equalizer, one for each channel.
  public let before: [SignalLevel]
  /// The levels after the equalizer, one for each channel.
  public let after: [SignalLevel]

  init(before: [Float], after: [Float], channels: Int) {
    self.before = SignalLevel.levels(of: before, channels: channels)
    self.after = SignalLevel.levels(of: after, channels: channels)
  }
}

/// The frequency response of an equalizer: its gain for sines, in dB.
public struct EqualizerResponse: Sendable, Hashable {
  /// The frequencies in Hz.
  public let frequencies: [Double]
  /// In dB, one for each frequency.
  public let left: [Double]
  /// In dB, one for each frequency.
  public let right: [Double]

  /// Frequencies from 20 Hz to 20 kHz, or to just below half the sample rate, evenly spaced on a logarithmic axis.
  public static func audibleFrequencies(count: Int = 256, sampleRate: Double) -> [Double] {
    let (low, high) = (20.0, min(20_000, 0.499 * sampleRate))
    guard count > 1 else { return Array(repeating: low, count: max(0, count)) }
    return (0..<count).map { low * pow(high / low, Double($0) / Double(count - 1)) }
  }
}

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
