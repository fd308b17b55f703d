import RustleAudio

/// What the keys of the live tuner do. A pure function of what the tuner is set to.
struct TuneKeys: Equatable, Sendable {
  /// What a key asks for.
  enum Action: Equatable {
    case none, quit, pause, help, learn, stretch
    case tuning(Tuning)
    case instrument(Instrument)
    /// As the run began.
    case asBegun
  }

  /// What the run began with.
  let start: TunerConfiguration

  /// How far up and down move the reference, in Hz, and left and right.
  static let coarse = 1.0
  static let fine = 0.1

  /// The line that tells of them.
  static let help = "q quit  arrows A4  i instrument  t temperament  l learn  s stretch  r as begun"

  /// What a key asks for.
  func action(for key: Key, _ configuration: TunerConfiguration) -> Action {
    let tuning = configuration.tuning
    switch key {
    case .quit: return .quit
    case .pause: return .pause
    case .help: return .help
    case .restart: return .asBegun
    case .up, .letter("+"): return moved(tuning, by: Self.coarse)
    case .down, .letter("-"): return moved(tuning, by: -Self.coarse)
    case .right: return moved(tuning, by: Self.fine)
    case .left: return moved(tuning, by: -Self.fine)
    case .letter("i"): return .instrument(Self.following(configuration.instrument, in: instruments))
    case .letter("t"): return .tuning(tuning.with(temperament: Self.following(tuning.temperament, in: temperaments)))
    case .letter("s"): return tuning.stretch == nil ? .stretch : .tuning(tuning.with(stretch: nil))
    case .letter("l"): return .learn
    case .letter, .pageUp, .pageDown, .home, .end: return .none
    }
  }

  /// The instruments in their turn: the one of the beginning is among them.
  private var instruments: [Instrument] {
    let usual = [Instrument.chromatic] + Instrument.Preset.allCases.map { Instrument($0) }
    return usual.contains(start.instrument) ? usual : [start.instrument] + usual
  }

  private var temperaments: [Temperament] {
    let usual = Temperament.Preset.allCases.map { Temperament($0) }
    return usual.contains(start.tuning.temperament) ? usual : [start.tuning.temperament] + usual
  }

  private static func following<Value: Equatable>(_ value: Value, in values: [Value]) -> Value {
    let index = values.firstIndex(of: value).map { ($0 + 1) % values.count } ?? 0
    return values[index]
  }

  private func moved(_ tuning: Tuning, by hertz: Double) -> Action {
    let range = Tuning.referenceRange
    // In tenths, so that steps up and down meet.
    let reference = ((tuning.reference + hertz) * 10).rounded() / 10
    let changed = try? tuning.with(reference: min(max(reference, range.lowerBound), range.upperBound))
    return changed.map { .tuning($0) } ?? .none
  }
}
