internal import RustleCore

/// The frequency weighting, a model of the ear's sensitivity (IEC 61672-1).
public enum FrequencyWeighting: String, Sendable, Hashable, Codable, CaseIterable {
  /// A: the ear's sensitivity to soft sounds; the most common.
  case a = "A"
  /// C: the ear's sensitivity to loud sounds.
  case c = "C"
  /// Z: no weighting.
  case z = "Z"

  var native: NativeFrequencyWeighting {
    switch self {
    case .a: .a
    case .c: .c
    case .z: .z
    }
  }
}

/// The time weighting of a level (IEC 61672-1).
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

/// The channels of a meter's levels and bands. Loudness is always of all.
public enum MeteredChannel: Sendable, Hashable {
  /// All: the mean of their powers. The phase between channels has no effect, and a silent channel counts. The peak is the
  /// highest of any channel.
  case all
  /// One, counted from 0.
  case channel(Int)
}

/// The width of the bands of a meter (IEC 61260-1, class 1).
public enum BandWidth: String, Sendable, Hashable, Codable, CaseIterable {
  /// One octave.
  case octave
  /// One third of an octave.
  case thirdOctave

  var native: NativeMeterBands {
    switch self {
    case .octave: .octave
    case .thirdOctave: .thirdOctave
    }
  }
}

/// The measures of a ``SoundLevelMeter`` and their parameters.
public struct SoundLevelMeterConfiguration: Sendable, Hashable {
  /// The frequency weighting of the levels.
  public var frequencyWeighting: FrequencyWeighting
  /// The time weighting of the levels.
  public var timeWeighting: TimeWeighting
  /// The channels of the levels and bands.
  public var channel: MeteredChannel
  /// The calibration of the microphone.
  public var calibration: Calibration
  /// Whether loudness (LUFS) and the true peak are measured.
  public var measuresLoudness: Bool
  /// The width of the bands; nil: no bands.
  public var bands: BandWidth?

  /// Creates a configuration; by default A, fast, not calibrated, with loudness and without bands.
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
  /// The channel's weight in loudness (BS.1770-4, annex 3): 1.41 times at 60 to 120 degrees from the front, which is where
  /// the surround channels stand; those behind them stand at 135 degrees.
  fileprivate var weight: NativeChannelWeight {
    switch self {
    case .left, .right, .center, .leftBack, .rightBack, .discrete: .front
    case .lowFrequency: .lowFrequency
    case .leftSurround, .rightSurround: .surround
    }
  }
}
