internal import RustleCore

/// A method of pitch detection. The raw value is the name in commands.
public enum PitchMethod: String, Sendable, Hashable, CaseIterable, Codable {
  /// Candidates of two families, periods and combs of partials, chosen where they agree; then harmonic least squares. Its
  /// confidence is calibrated: the share of frames like this that have the reported pitch.
  case harmonic
  /// YIN: the cumulative mean normalised difference function. Its confidence is 1 minus that function.
  case yin
  /// McLeod's pitch method: the normalised square difference function. Its confidence is that function's value.
  case mpm
  /// The harmonic product spectrum. It fails on tones that lack one of the first partials, such as a sine. Its confidence is the
  /// share of the energy in the partials.
  case hps
  /// The largest peak of the spectrum: the strongest partial, whether it is the first or not. Its confidence is the share of the
  /// energy in that peak.
  case peak

  var native: NativePitchMethod {
    switch self {
    case .harmonic: .harmonic
    case .yin: .yin
    case .mpm: .mpm
    case .hps: .harmonicProduct
    case .peak: .spectralPeak
    }
  }
}

/// The choice of each frame's pitch. The raw value is the name in commands.
public enum PitchDecoding: String, Sendable, Hashable, CaseIterable, Codable {
  /// From the frame alone, as ``PitchTracker/process(_:into:)`` does.
  case frame
  /// As the likeliest path through the candidates of all frames, with a cost for leaps and for changes between voiced and
  /// unvoiced. A method with one candidate has one path.
  case viterbi

  var native: NativeDecoding {
    switch self {
    case .frame: .frame
    case .viterbi: .viterbi
    }
  }
}
