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

/// The time between the short-term values that the loudness range is computed from. EBU Tech 3342 allows both; the ranges of one
/// sound usually differ by tenths of an LU.
public enum LoudnessRangeStep: String, Sendable, Hashable, Codable, CaseIterable {
  /// 0.1 s: the result does not depend on where in the sound the measurement begins.
  case tenthOfSecond = "0.1"
  /// 1 s, as in libebur128 and FFmpeg's `loudnorm`; FFmpeg's `ebur128` has 0.1 s.
  case second = "1"

  var native: NativeRangeStep {
    switch self {
    case .tenthOfSecond: .tenth
    case .second: .second
    }
  }
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
  /// The channels of the levels and bands; loudness is always of all.
  public var channel: ChannelSelection
  /// The calibration of the microphone.
  public var calibration: Calibration
  /// Whether loudness (LUFS) and the true peak are measured.
  public var measuresLoudness: Bool
  /// The step of the loudness range.
  public var loudnessRangeStep: LoudnessRangeStep
  /// The width of the bands; nil: no bands.
  public var bands: BandWidth?

  /// Creates a configuration; by default A, fast, not calibrated, with loudness and without bands.
  public init(
    frequencyWeighting: FrequencyWeighting = .a, timeWeighting: TimeWeighting = .fast,
    channel: ChannelSelection = .all, calibration: Calibration = .uncalibrated, measuresLoudness: Bool = true,
    loudnessRangeStep: LoudnessRangeStep = .tenthOfSecond, bands: BandWidth? = nil
  ) {
    self.frequencyWeighting = frequencyWeighting
    self.timeWeighting = timeWeighting
    self.channel = channel
    self.calibration = calibration
    self.measuresLoudness = measuresLoudness
    self.loudnessRangeStep = loudnessRangeStep
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
      bands: bands?.native ?? .none, rangeStep: loudnessRangeStep.native)
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
