import RustleAudio

/// The keys of the live tuner. A pure function of the tuner's configuration.
struct TuneKeys: Equatable, Sendable {
  /// The action of a key.
  enum Action: Equatable {
    case none, quit, pause, help, learn, stretch
    case tuning(Tuning)
    case instrument(Instrument)
    /// Restores the initial settings.
    case asBegun
  }

  /// The initial configuration.
  let start: TunerConfiguration

  /// The change of the reference pitch in Hz by up and down, and by left and right.
  static let coarse = 1.0
  static let fine = 0.1

  /// The help line of the keys.
  static let help = "q quit  arrows A4  i instrument  t temperament  l learn  s stretch  r restore"

  /// The action of a key.
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

  /// The instruments in order, the initial one included.
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
