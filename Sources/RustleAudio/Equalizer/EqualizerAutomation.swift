/// Gains of an equalizer over time: points, between which a gain is linear in dB.
///
/// ```swift
/// let fade = EqualizerAutomation(points: [
///   .init(time: 10, band: nil, gain: 0), .init(time: 12, band: nil, gain: -60),
/// ])
/// let equalizer = try Equalizer(format: format)
/// let sound = try await equalizer.write(input, to: "faded.wav", automation: fade)
/// ```
///
/// Before the first point of a band its gain is that of the point, after the last one that of the last. Two points at one time are
/// a jump from the first to the second. Bands without points keep their gains.
public struct EqualizerAutomation: Sendable, Hashable {
  /// A gain at a time.
  public struct Point: Sendable, Hashable {
    /// The time in seconds from the beginning of the sound, 0 or more.
    public var time: Double
    /// The band, counted from 0; nil: the preamplification.
    public var band: Int?
    /// The channel of the band; the preamplification is of both.
    public var channel: Equalizer.Channel
    /// The gain in dB, within ``EqualizerSettings/gainRange``, or ``EqualizerSettings/preampRange``.
    public var gain: Double

    /// Creates a point.
    public init(time: Double, band: Int?, channel: Equalizer.Channel = .both, gain: Double) {
      self.time = time
      self.band = band
      self.channel = channel
      self.gain = gain
    }
  }

  /// The points as given, in any order of their bands.
  public let points: [Point]
  /// The points of each band and channel, by time.
  private let curves: [Target: [Point]]

  private struct Target: Hashable {
    let band: Int?
    let isLeft: Bool
  }

  /// Creates an automation; points of one time keep their order.
  public init(points: [Point]) {
    self.points = points
    var curves: [Target: [Point]] = [:]
    for point in points {
      // The preamplification has one curve.
      if point.band == nil || point.channel != .right {
        curves[Target(band: point.band, isLeft: true), default: []].append(point)
      }
      if point.band != nil && point.channel != .left {
        curves[Target(band: point.band, isLeft: false), default: []].append(point)
      }
    }
    self.curves = curves.mapValues { points in
      points.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
  }

  /// Refuses points that settings have no place for.
  ///
  /// - Parameters:
  ///   - settings: the settings with the bands.
  ///   - channels: 1 or 2; a mono equalizer has the bands of the left channel.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` that names the first point, counted from 1.
  public func check(for settings: EqualizerSettings, channels: Int) throws(AudioError) {
    for (index, point) in points.enumerated() {
      func fault(_ field: String, _ expected: String, _ got: String) -> AudioError {
        .validation("point \(index + 1): \(field)", expected: expected, got: got)
      }
      guard point.time >= 0, point.time.isFinite else {
        throw fault("time", "seconds, 0 or more", point.time.plain)
      }
      let range = point.band == nil ? EqualizerSettings.preampRange : EqualizerSettings.gainRange
      guard range.contains(point.gain) else {
        throw fault("gain", "\(range.lowerBound.plain) to \(range.upperBound.plain) dB", point.gain.plain)
      }
      guard let band = point.band else { continue }
      let sides =
        (point.channel != .right ? [settings.left] : [])
        + (point.channel != .left && channels == 2 ? [settings.right] : [])
      guard let count = sides.map(\.count).min() else { throw fault("channel", "left or both of one channel", "right") }
      guard count > 0 else {
        throw .validation(
          "point \(index + 1)", expected: "the preamplification, as there are no bands", got: "band \(band + 1)",
          advice: "Add the band to the settings.")
      }
      guard (0..<count).contains(band) else { throw fault("band", "1 to \(count)", "\(band + 1)") }
      if sides.contains(where: { $0[band].isPass }) {
        throw fault("band", "one with a gain", "a low-pass or high-pass filter, \(band + 1)")
      }
    }
  }

  /// The settings at a time in seconds; at a jump, those after it. Bands that `settings` do not have are left out.
  public func settings(_ settings: EqualizerSettings, at time: Double) -> EqualizerSettings {
    var result = settings
    for (target, curve) in curves {
      let gain = Self.gain(of: curve, at: time)
      switch target.band {
      case nil: result.preamp = gain
      case let band? where target.isLeft: if result.left.indices.contains(band) { result.left[band].gain = gain }
      case let band?: if result.right.indices.contains(band) { result.right[band].gain = gain }
      }
    }
    return result
  }

  /// - Parameter curve: points by time, one at least.
  private static func gain(of curve: [Point], at time: Double) -> Double {
    // The first point after the time.
    var (low, high) = (0, curve.count)
    while low < high {
      let middle = (low + high) / 2
      if curve[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    if low == 0 { return curve[0].gain }
    if low == curve.count { return curve[low - 1].gain }
    let (from, to) = (curve[low - 1], curve[low])
    return from.gain + (to.gain - from.gain) * (time - from.time) / (to.time - from.time)
  }
}

extension Equalizer {
  /// The frames between two changes of an automation: the time of a change, 40 ms rounded up to its steps, of which there are at
  /// most 192.
  package nonisolated var automationFrames: Int { Int((0.04 * format.sampleRate).rounded(.up)) + 192 }

  /// Begins an automation: the settings at time 0 are in force at once.
  ///
  /// - Returns: the settings without the automation.
  /// - Throws: ``AudioError`` as ``EqualizerAutomation/check(for:channels:)``, and for a bypass.
  package func begin(_ automation: EqualizerAutomation) throws(AudioError) -> EqualizerSettings {
    guard !isBypassed else {
      throw .validation(
        "automation", expected: "an equalizer in force", got: "one that is bypassed", advice: "End the bypass first.")
    }
    let settings = settings
    try automation.check(for: settings, channels: format.channels)
    try set(automation.settings(settings, at: 0))
    try reset()
    return settings
  }

  /// Ends an automation: the next sound begins with the settings, and not with a way to them.
  package func end(_ settings: EqualizerSettings) throws(AudioError) {
    try set(settings)
    try reset()
  }

  /// Leads from the settings in force at a frame to those ``automationFrames`` later.
  package func follow(
    _ automation: EqualizerAutomation, of settings: EqualizerSettings, from frame: Int
  ) throws(AudioError) {
    let next = automation.settings(settings, at: Double(frame + automationFrames) / format.sampleRate)
    if next != self.settings { try set(next) }
  }
}
