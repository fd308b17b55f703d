internal import Foundation

/// The settings of a ``Tuner``.
public struct TunerConfiguration: Sendable, Hashable {
  /// The target frequencies: reference, temperament, transposition, stretch and the clock's correction.
  public var tuning: Tuning
  /// The instrument, whose strings or notes are the targets. It determines the range of pitch, ``Instrument/pitchRange``.
  public var instrument: Instrument
  /// The smoothing of the needle.
  public var needle: NeedleOptions
  /// The measured channels; a running tuner's cannot be changed.
  public var channel: ChannelSelection
  /// The method of pitch detection.
  public var method: PitchMethod
  /// The samples of an analysis frame, as in ``PitchConfiguration``; nil: as few as the range allows.
  public var frameLength: Int?
  /// The hop size in samples, as in ``PitchConfiguration``.
  public var hop: Int

  /// Creates a configuration; by default every note of equal temperament at 440 Hz, of all channels.
  public init(
    tuning: Tuning = .standard, instrument: Instrument = .chromatic, needle: NeedleOptions = NeedleOptions(),
    channel: ChannelSelection = .all, method: PitchMethod = .harmonic, frameLength: Int? = nil, hop: Int = 512
  ) {
    self.tuning = tuning
    self.instrument = instrument
    self.needle = needle
    self.channel = channel
    self.method = method
    self.frameLength = frameLength
    self.hop = hop
  }

  /// The pitch tracker for sound of a rate in Hz. Where the longest frame is too short for the lowest note, as at 384 kHz, it
  /// raises the lower end.
  func pitch(sampleRate: Double) throws(AudioError) -> PitchConfiguration {
    // In frames of one length: attacks in shorter ones would be other notes.
    var configuration = PitchConfiguration(
      sampleRate: sampleRate, range: instrument.pitchRange, method: method, frameLength: frameLength, hop: hop)
    // One note is tuned at a time: strings that ring along do not lower its confidence.
    configuration.expectsOneNote = true
    if frameLength == nil { configuration.frameLength = try PitchTracker(configuration).frameLength }
    return configuration
  }

  /// The pitch tracker for a sound of fewer samples than an analysis frame: the longest frames that it holds, eight of them or so,
  /// from which a note is made. Nil for a sound that holds none, or no pitch of the instrument.
  func pitch(sampleRate: Double, samples: Int) throws(AudioError) -> PitchConfiguration? {
    var configuration = try pitch(sampleRate: sampleRate)
    let distances = 8
    guard samples >= Self.shortestFrameLength + distances else { return nil }
    let length = 1 << (Int.bitWidth - 1 - (samples - distances).leadingZeroBitCount)
    configuration.frameLength = min(length, configuration.frameLength ?? length)
    configuration.hop = min(hop, (samples - length) / distances)
    return (try? PitchTracker(configuration)) == nil ? nil : configuration
  }

  /// The samples of the shortest analysis frame.
  private static let shortestFrameLength = 256
}

extension TunerConfiguration: CustomStringConvertible {
  /// The reference, the temperament, and what is not the default, for example `A4 = 442.5 Hz, Werckmeister III on C, Guitar,
  /// written +12 semitones, stretched`.
  public var description: String {
    let temperament = tuning.temperament
    let name = temperament.name.isEmpty ? "own scale" : temperament.name
    let sign = tuning.transposition < 0 ? "\u{2212}" : "+"
    let parts = [
      String(format: "A4 = %.6g Hz", tuning.reference),
      temperament == Temperament(.equal) ? name : "\(name) on \(tuning.tonic)",
      instrument.isChromatic ? nil : instrument.name,
      tuning.transposition == 0 ? nil : "written \(sign)\(abs(tuning.transposition)) semitones",
      tuning.stretch == nil ? nil : "stretched",
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }
}

extension Instrument {
  /// The range of pitch in Hz when every note is a target: from below the lowest note of a piano, 27.5 Hz, to above its
  /// highest, 4186 Hz.
  public static let chromaticRange = 25.0...4_500.0

  /// The range of pitch in Hz for this instrument: from a fifth below its lowest string to two octaves above its highest, at 440
  /// Hz and in equal temperament. That is room for every reference, for slack strings, and for harmonics. Never below 10 nor
  /// above 20,000 Hz; ``chromaticRange`` when every note is a target.
  public var pitchRange: ClosedRange<Double> {
    let frequencies = strings.map { $0.note.equalFrequency() }
    guard let lowest = frequencies.min(), let highest = frequencies.max() else { return Self.chromaticRange }
    let lower = min(max(lowest / 1.5, 10), Self.chromaticRange.upperBound)
    return lower...min(max(4 * highest, 4 * lower), 20_000)
  }
}
