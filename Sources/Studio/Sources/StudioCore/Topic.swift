/// A stream of samples that a client subscribes to. Its raw value is its number in frames.
public enum Topic: UInt8, Sendable, Hashable, CaseIterable {
  /// The newest price of each symbol.
  case prices = 1
  /// A reading of the sound level meter.
  case meter
  /// A row of the spectrum.
  case spectrum
  /// A reading of the tuner.
  case pitch
  /// Where the beats are.
  case tempo
  /// What each fixture shows.
  case lights
  /// The levels before and after the equalizer.
  case levels
  /// The measures of a voice.
  case voice
  /// How far a recording is.
  case recording
  /// The newest candle of each symbol.
  case candles
  /// What a camera sees while fixtures are looked for.
  case camera

  /// The name in messages.
  public var name: String { String(describing: self) }

  /// A topic by its name; nil for a name that no topic has.
  public init?(name: String) {
    guard let topic = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = topic
  }

  /// The topics that are computed from the sound.
  public static let ofSound: Set<Self> = [.meter, .spectrum, .pitch, .levels, .voice]
}
