internal import RustleCore

/// How the ear's sensitivity at different frequencies is taken into account (IEC 61672-1).
public enum FrequencyWeighting: String, Sendable, Hashable, Codable, CaseIterable {
  /// As the ear hears soft sounds; the usual one.
  case a = "A"
  /// As the ear hears loud sounds.
  case c = "C"
  /// Not at all.
  case z = "Z"

  var native: NativeFrequencyWeighting {
    switch self {
    case .a: .a
    case .c: .c
    case .z: .z
    }
  }
}

/// How fast a level follows the sound (IEC 61672-1).
public enum TimeWeighting: String, Sendable, Hashable, Codable, CaseIterable {
  /// A time constant of 0.125 s: falls by 34.7 dB a second after a sound stops.
  case fast = "F"
  /// A time constant of 1 s: falls by 4.34 dB a second.
  case slow = "S"

  var native: NativeTimeWeighting {
    switch self {
    case .fast: .fast
    case .slow: .slow
    }
  }
}

/// Which channels a meter's levels and bands are of. Loudness is always of all.
public enum MeteredChannel: Sendable, Hashable {
  /// All: the mean of their powers. Channels in and out of phase read alike, and a silent one counts. The peak is the highest
  /// of any channel.
  case all
  /// One, counted from 0.
  case channel(Int)
}

/// The width of the bands of a meter (IEC 61260-1, class 1).
public enum BandWidth: String, Sendable, Hashable, Codable, CaseIterable {
  /// One octave.
  case octave
  /// A third of one.
  case thirdOctave

  var native: NativeMeterBands {
    switch self {
    case .octave: .octave
    case .thirdOctave: .thirdOctave
    }
  }
}

/// What a ``SoundLevelMeter`` measures.
public struct SoundLevelMeterConfiguration: Sendable, Hashable {
  /// The weighting of the levels.
  public var frequencyWeighting: FrequencyWeighting
  /// The time constant of the levels.
  public var timeWeighting: TimeWeighting
  /// Which channels the levels and bands are of.
  public var channel: MeteredChannel
  /// What a level relative to full scale means at this microphone.
  public var calibration: Calibration
  /// Whether loudness is measured.
  public var measuresLoudness: Bool
  /// The bands that are measured; nil: none.
  public var bands: BandWidth?

  /// A configuration; by default A, fast, not calibrated, with loudness and without bands.
  public init(
    frequencyWeighting: FrequencyWeighting = .a, timeWeighting: TimeWeighting = .fast,
    channel: MeteredChannel = .all, calibration: Calibration = .uncalibrated, measuresLoudness: Bool = true,
    bands: BandWidth? = nil
  ) {
    self.frequencyWeighting = frequencyWeighting
    self.timeWeighting = timeWeighting
    self.channel = channel
    self.calibration = calibration
    self.measuresLoudness = measuresLoudness
    self.bands = bands
  }

  func native(for format: AudioFormat) -> NativeMeterConfiguration {
    let metered =
      switch channel {
      case .all: NativeMeterConfiguration.allChannels
      case .channel(let channel): channel
      }
    return NativeMeterConfiguration(
      sampleRate: format.sampleRate, offset: calibration.offset ?? 0,
      channels: format.layout.channels.map(\.weight),
      response: calibration.response?.points.map {
        NativeResponsePoint(frequency: $0.frequency, deviation: $0.deviation)
      } ?? [],
      metered: metered, weighting: frequencyWeighting.native, time: timeWeighting.native, loudness: measuresLoudness,
      bands: bands?.native ?? .none)
  }
}

extension ChannelLayout.Channel {
  /// How much the channel counts in loudness (BS.1770-4, annex 3): 1.41 times at 60 to 120 degrees from the front, which is where
  /// the surround channels stand; those behind them stand at 135 degrees.
  fileprivate var weight: NativeChannelWeight {
    switch self {
    case .left, .right, .center, .leftBack, .rightBack, .discrete: .front
    case .lowFrequency: .lowFrequency
    case .leftSurround, .rightSurround: .surround
    }
  }
}
