extension EqualizerSettings {
  /// The short form of a band: `1000:+3:1.4`, `ls:105:+6`, `R:lp:12000`.
  public static let bandForm =
    "[L:|R:][ls:|hs:]frequency:gain[:Q], or lp:frequency[:Q] and hp:frequency[:Q]"

  private static let kinds: [Substring: EqualizerBand.Kind] = [
    "pk": .peaking, "ls": .lowShelf, "hs": .highShelf, "lp": .lowPass, "hp": .highPass,
  ]
  private static let channels: [Substring: Equalizer.Channel] = ["l": .left, "r": .right]

  /// Creates settings of one band, from its short form.
  ///
  /// ```swift
  /// let settings = try EqualizerSettings(band: "R:ls:105:+6:0.7")  // a low shelf on the right
  /// ```
  ///
  /// - Parameter text: a channel, `L` or `R`, without which the band is on both; a kind, `pk`, `ls`, `hs`, `lp` or `hp`, without
  ///   which it is a peaking band; the frequency in Hz; the gain in dB, except of `lp` and `hp`; and the quality, by default as
  ///   in ``EqualizerBand/init(_:frequency:gain:q:)``. Between them colons; letters of either case.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for another form, and for values out of range.
  public init(band text: String) throws(AudioError) {
    var fields = text.lowercased().split(separator: ":", omittingEmptySubsequences: false)[...]
    var kind: EqualizerBand.Kind?
    var channel: Equalizer.Channel?
    while let field = fields.first {
      if kind == nil, let named = Self.kinds[field] {
        kind = named
      } else if channel == nil, let named = Self.channels[field] {
        channel = named
      } else {
        break
      }
      fields.removeFirst()
    }
    let isPass = kind == .lowPass || kind == .highPass
    let numbers = fields.compactMap { Double($0) }
    guard numbers.count == fields.count, numbers.allSatisfy(\.isFinite),
      (isPass ? 1...2 : 2...3).contains(numbers.count)
    else {
      throw AudioError(
        .validation, "expected \(Self.bandForm), got '\(text)'", advice: "Pass a band in one of these forms.")
    }
    let quality = numbers.count == (isPass ? 2 : 3) ? numbers.last : nil
    let band = EqualizerBand(kind ?? .peaking, frequency: numbers[0], gain: isPass ? 0 : numbers[1], q: quality)
    if let fault = band.fault(sampleRate: nil) {
      throw .validation("'\(text)': \(fault.field)", expected: fault.expected, got: fault.got.plain)
    }
    self.init(left: channel == .right ? [] : [band], right: channel == .left ? [] : [band])
  }

  /// Reads gains for ``graphic(gains:octaves:)`` from a text.
  ///
  /// ```swift
  /// let gains = try EqualizerSettings.gains(of: "0,0,6,6,3,0,0,0,0,0,0,-2,-2,0")
  /// let settings = try EqualizerSettings.graphic(gains: gains)
  /// ```
  ///
  /// - Parameter text: a gain in dB, within ``gainRange``, for each of ``centerFrequencies``, which is on both channels, or twice
  ///   as many, left and then right. Between them commas or white space.
  /// - Returns: the gains of both channels, left and then right.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for other numbers, and another number of them.
  public static func gains(of text: String) throws(AudioError) -> [Double] {
    let (count, range) = (centerFrequencies.count, gainRange)
    var gains: [Double] = []
    for field in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
      guard let gain = Double(field), range.contains(gain) else {
        throw AudioError(
          .validation, "expected gains from \(range.lowerBound.plain) to \(range.upperBound.plain) dB, got '\(field)'",
          advice: "Pass a number for each center frequency.")
      }
      gains.append(gain)
    }
    guard gains.count == count || gains.count == 2 * count else {
      throw AudioError(
        .validation,
        "expected \(count) gains for both channels, or \(2 * count), left and then right, got \(gains.count)",
        advice: "Pass a number for each center frequency.")
    }
    return gains.count == count ? gains + gains : gains
  }
}

extension EqualizerSettings {
  /// The bands of the channel with more of them; of mono, those of the left channel.
  package func bandCount(isStereo: Bool) -> Int { isStereo ? max(left.count, right.count) : left.count }

  /// The bands at an index, of mono the left one alone; nil where a channel has fewer.
  package func bands(at index: Int, isStereo: Bool) -> (left: EqualizerBand?, right: EqualizerBand?) {
    func band(_ bands: [EqualizerBand]) -> EqualizerBand? { bands.indices.contains(index) ? bands[index] : nil }
    return (band(left), isStereo ? band(right) : nil)
  }
}
