/// The text format of AutoEQ presets, which EqualizerAPO, PipeWire's parametric equalizer and Room EQ Wizard share.
///
/// ```
/// Preamp: -6.2 dB
/// Filter 1: ON LSC Fc 105 Hz Gain 5.5 dB Q 0.70
/// Filter 2: ON PK Fc 2100 Hz Gain -3.1 dB Q 1.41
/// ```
///
/// Each line is one of these, in letters of either case; `#` and `;` begin a comment:
/// - `Preamp: x dB`; several add up.
/// - `Channel: L`, `Channel: R`, `Channel: L R` or `Channel: all`: the channels of the lines below, both at first. The channels
///   may also be called 1 and 2.
/// - `Filter n: ON kind Fc x Hz Gain x dB Q x`, the number is ignored. Instead of Q there may be `BW Oct x`, a width in octaves.
///   The kinds are PK, PEQ and Modal (peaking), LSC, LSQ and LS (low shelf), HSC, HSQ and HS (high shelf), LP and LPQ (low-pass),
///   HP and HPQ (high-pass); the last four need neither gain nor Q, which is 0.7071 then.
/// - `Filter n: OFF …` and `Filter n: ON None`, which are left out.
///
/// The finer meaning is EqualizerAPO's. A shelf may have a slope, `LSC 12 dB Fc …`, in place of Q, and without both it has 0.9
/// of the steepest slope. With LS and HS that have a slope or a Q the frequency is the corner rather than the middle of the
/// slope. The decimal mark is a point or a comma. A frequency with exactly three digits behind the mark and one to three
/// before it is in thousands, which is how Room EQ Wizard writes them: `1.000 Hz` and `1,000 Hz` are 1 kHz.
///
/// Content that would be lost is an error with its line: filters of other kinds (band-pass, notch, all-pass, coefficients), other
/// commands (Include, Convolution, GraphicEQ, …), other channels, a preamp of one channel only. Only the heading of a Room EQ
/// Wizard export is skipped, from its first line, `Filter Settings file`, to the first filter.
public enum EqualizerText {
  /// The most bytes of a text.
  public static let maximumTextLength = 1 << 20

  /// Reads a text.
  ///
  /// - Parameter text: at most ``maximumTextLength`` bytes of UTF-8, with at least a preamp or a filter.
  /// - Returns: settings that ``EqualizerSettings/check(sampleRate:)`` accepts without a sample rate.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``; the message begins with the line, for example `line 3: Gain:
  ///   expected -24 to 24 dB, got 30`.
  public static func parse(_ text: String) throws(AudioError) -> EqualizerSettings {
    guard text.utf8.count <= maximumTextLength else {
      throw .validation(
        "text", expected: "at most \(maximumTextLength) bytes", got: "\(text.utf8.count)",
        advice: "Pass the filters alone.")
    }
    var parser = EqualizerTextParser()
    for (index, line) in lines(of: text).enumerated() { try parser.read(line, number: index + 1) }
    return try parser.settings()
  }

  /// Returns the text of settings, which ``parse(_:)`` reads back as the same: with the shortest numbers that do.
  ///
  /// Equal channels are written once, without `Channel` lines. EqualizerAPO reads all of it, AutoEQ's and PipeWire's readers the
  /// peaking and shelf bands that are the same on both channels.
  ///
  /// - Parameter settings: should be in range; this checks nothing.
  /// - Returns: lines that end with a line feed.
  public static func format(_ settings: EqualizerSettings) -> String {
    var lines = ["Preamp: \(settings.preamp.plain) dB"]
    if settings.left == settings.right {
      lines += filters(settings.left)
    } else {
      for (name, bands) in [("L", settings.left), ("R", settings.right)] where !bands.isEmpty {
        lines += ["Channel: \(name)"] + filters(bands)
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func filters(_ bands: [EqualizerBand]) -> [String] {
    bands.enumerated().map { index, band in
      var words = ["Filter \(index + 1): ON \(code(of: band.kind)) Fc \(frequency(band.frequency)) Hz"]
      // The gain of a pass filter means nothing, but it is part of the band.
      let isPass = band.kind == .lowPass || band.kind == .highPass
      if !isPass || band.gain != 0 { words.append("Gain \(band.gain.plain) dB") }
      words.append("Q \(band.q.plain)")
      return words.joined(separator: " ")
    }
  }

  /// The kind's word for a frequency in the middle and a Q that is read.
  private static func code(of kind: EqualizerBand.Kind) -> String {
    switch kind {
    case .peaking: "PK"
    case .lowShelf: "LSC"
    case .highShelf: "HSC"
    case .lowPass: "LPQ"
    case .highPass: "HPQ"
    }
  }

  /// A frequency that does not read as thousands: with a fourth digit where there would be three after the point.
  private static func frequency(_ value: Double) -> String {
    let text = value.plain
    guard let point = text.firstIndex(of: "."), !text.contains("e") else { return text }
    return text.distance(from: point, to: text.endIndex) == 4 ? text + "0" : text
  }

  /// The lines of a text, ended by LF, CR LF or CR, without a byte order mark.
  private static func lines(of text: String) -> [[Unicode.Scalar]] {
    var lines: [[Unicode.Scalar]] = [[]]
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\u{FEFF}" where previous == nil: break
      case "\n" where previous == "\r": break
      case "\n", "\r": lines.append([])
      default: lines[lines.count - 1].append(scalar)
      }
      previous = scalar
    }
    return lines
  }
}
