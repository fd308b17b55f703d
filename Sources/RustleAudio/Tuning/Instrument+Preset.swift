extension Instrument {
  /// Built-in instruments, in their common tunings. Notes are sounding notes.
  public enum Preset: String, Sendable, Hashable, Codable, CaseIterable {
    case guitar
    case guitarDropD
    case guitarDADGAD
    case guitarOpenG
    case guitarOpenD
    case guitarHalfStepDown
    case guitarSevenString
    case guitarTwelveString
    case bass
    case bassFiveString
    case ukulele
    case ukuleleLowG
    case ukuleleBaritone
    case violin
    case viola
    case cello
    case doubleBass
    case mandolin
    case banjo
    case banjoTenor
    case bouzoukiGreek
    case bouzoukiIrish
    case balalaika
    case charango

    /// The name in English.
    public var name: String {
      switch self {
      case .guitar: "Guitar"
      case .guitarDropD: "Guitar, drop D"
      case .guitarDADGAD: "Guitar, DADGAD"
      case .guitarOpenG: "Guitar, open G"
      case .guitarOpenD: "Guitar, open D"
      case .guitarHalfStepDown: "Guitar, half step down"
      case .guitarSevenString: "Guitar, 7 strings"
      case .guitarTwelveString: "Guitar, 12 strings"
      case .bass: "Bass"
      case .bassFiveString: "Bass, 5 strings"
      case .ukulele: "Ukulele"
      case .ukuleleLowG: "Ukulele, low G"
      case .ukuleleBaritone: "Baritone ukulele"
      case .violin: "Violin"
      case .viola: "Viola"
      case .cello: "Cello"
      case .doubleBass: "Double bass"
      case .mandolin: "Mandolin"
      case .banjo: "Banjo, open G"
      case .banjoTenor: "Tenor banjo"
      case .bouzoukiGreek: "Greek bouzouki"
      case .bouzoukiIrish: "Irish bouzouki"
      case .balalaika: "Balalaika"
      case .charango: "Charango"
      }
    }

    /// The MIDI numbers of the open strings. A course of two alike counts once; of two an octave apart, twice.
    private var numbers: [Int] {
      switch self {
      case .guitar: [40, 45, 50, 55, 59, 64]  // E2 A2 D3 G3 B3 E4
      case .guitarDropD: [38, 45, 50, 55, 59, 64]
      case .guitarDADGAD: [38, 45, 50, 55, 57, 62]
      case .guitarOpenG: [38, 43, 50, 55, 59, 62]  // D2 G2 D3 G3 B3 D4
      case .guitarOpenD: [38, 45, 50, 54, 57, 62]  // D2 A2 D3 F#3 A3 D4
      case .guitarHalfStepDown: [39, 44, 49, 54, 58, 63]
      case .guitarSevenString: [35, 40, 45, 50, 55, 59, 64]  // B1 and the guitar's
      case .guitarTwelveString: [40, 52, 45, 57, 50, 62, 55, 67, 59, 59, 64, 64]
      case .bass: [28, 33, 38, 43]  // E1 A1 D2 G2
      case .bassFiveString: [23, 28, 33, 38, 43]  // B0 and the bass's
      case .ukulele: [67, 60, 64, 69]  // G4 C4 E4 A4
      case .ukuleleLowG: [55, 60, 64, 69]
      case .ukuleleBaritone: [50, 55, 59, 64]  // D3 G3 B3 E4
      case .violin, .mandolin: [55, 62, 69, 76]  // G3 D4 A4 E5
      case .viola: [48, 55, 62, 69]  // C3 G3 D4 A4
      case .cello: [36, 43, 50, 57]  // C2 G2 D3 A3
      case .doubleBass: [28, 33, 38, 43]
      case .banjo: [67, 50, 55, 59, 62]  // G4 D3 G3 B3 D4
      case .banjoTenor: [48, 55, 62, 69]  // C3 G3 D4 A4
      case .bouzoukiGreek: [48, 60, 53, 65, 57, 62]  // C3 C4, F3 F4, A3, D4
      case .bouzoukiIrish: [43, 50, 57, 62]  // G2 D3 A3 D4
      case .balalaika: [64, 64, 69]  // E4 E4 A4
      case .charango: [67, 72, 64, 76, 69, 76]  // G4, C5, E4 E5, A4, E5
      }
    }

    fileprivate var strings: [InstrumentString] { numbers.map { InstrumentString(Note(midi: $0)) } }
  }

  /// The instrument of a preset.
  public init(_ preset: Preset) { self.init(checked: preset.name, preset.strings) }
}
