internal import Foundation

/// Settings as they are requested, before the sample rate is known.
///
/// ```swift
/// let request = EqualizerRequest(settings: try .graphic(gains: gains), preamp: .automatic, isSolved: true)
/// let prepared = try request.prepared(sampleRate: format.sampleRate)
/// let equalizer = try Equalizer(format: format, settings: prepared.settings)
/// if prepared.distance > 0.1 { print("the bands cannot reach these gains") }
/// ```
public struct EqualizerRequest: Sendable, Hashable {
  /// The preamplification of a request.
  public enum Preamp: Sendable, Hashable {
    /// This many dB, within ``EqualizerSettings/preampRange``.
    case decibels(Double)
    /// The highest gain of the combined response, negated: ``EqualizerSettings/automaticPreamp(sampleRate:)``.
    case automatic
  }

  /// The bands as given. With ``isSolved``, their gains are points of the combined response.
  public var settings: EqualizerSettings
  /// The preamplification in place of the settings' own; nil for theirs.
  public var preamp: Preamp?
  /// Whether the overlap of neighbouring bands is compensated for: ``EqualizerSettings/solved(sampleRate:)``.
  public var isSolved: Bool

  /// The settings in force at a sample rate.
  public struct Prepared: Sendable, Hashable {
    /// The settings, without bands at or above half the sample rate.
    public let settings: EqualizerSettings
    /// The number of bands left out that would change the sound; where both channels have the same bands, those of one.
    public let omittedBandCount: Int
    /// The greatest distance of the response from solved gains, in dB; 0 for settings that are not solved.
    public let distance: Double
    /// Notes for the user, in English: on bands left out, and on solved gains missed by more than 0.1 dB.
    public let notes: [String]

    init(settings: EqualizerSettings, omittedBandCount: Int, distance: Double, sampleRate: Double) {
      (self.settings, self.omittedBandCount, self.distance) = (settings, omittedBandCount, distance)
      var notes: [String] = []
      if omittedBandCount > 0 {
        let (bands, verb) = omittedBandCount == 1 ? ("band", "is") : ("bands", "are")
        let limit = (sampleRate / 2).plain
        notes.append("\(omittedBandCount) \(bands) at or above half the sample rate, \(limit) Hz, \(verb) left out")
      }
      if distance > 0.1 {
        let miss = String(format: distance < 1 ? "%.2f" : "%.1f", distance)
        notes.append("the bands cannot reach these gains: the response differs by up to \(miss) dB")
      }
      self.notes = notes
    }
  }

  /// Creates a request.
  public init(settings: EqualizerSettings = .flat, preamp: Preamp? = nil, isSolved: Bool = false) {
    self.settings = settings
    self.preamp = preamp
    self.isSolved = isSolved
  }

  /// Appends the bands of other settings.
  public mutating func add(_ more: EqualizerSettings) {
    settings.left += more.left
    settings.right += more.right
  }

  /// Returns the settings in force at a sample rate in Hz.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for values out of range.
  public func prepared(sampleRate: Double) throws(AudioError) -> Prepared {
    func effective(_ settings: EqualizerSettings) -> Int {
      let bands = settings.left == settings.right ? settings.left : settings.left + settings.right
      return bands.count { $0.gain != 0 || $0.isPass }
    }
    var result = settings.limited(toSampleRate: sampleRate)
    let omitted = effective(settings) - effective(result)
    var distance = 0.0
    if isSolved { (result, distance) = try result.solved(sampleRate: sampleRate) }
    switch preamp {
    case .decibels(let decibels): result.preamp = decibels
    case .automatic: result.preamp = try result.automaticPreamp(sampleRate: sampleRate)
    case nil: break
    }
    return Prepared(settings: result, omittedBandCount: omitted, distance: distance, sampleRate: sampleRate)
  }
}

extension EqualizerBand {
  /// Whether it is a low-pass or high-pass filter, which has no gain.
  public var isPass: Bool { kind == .lowPass || kind == .highPass }
}
