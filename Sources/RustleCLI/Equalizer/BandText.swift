internal import ArgumentParser
import Foundation
import RustleAudio

/// A band as it is given on the command line: `1000:+3:1.4`, `ls:105:+6`, `R:lp:12000`.
struct BandText: ExpressibleByArgument, Equatable, Sendable {
  /// The band.
  let band: EqualizerBand
  /// Whom it belongs to.
  let channel: Equalizer.Channel

  static let form = "[L:|R:][ls:|hs:]frequency:gain[:Q], or lp:frequency[:Q] and hp:frequency[:Q]"

  private static let kinds: [Substring: EqualizerBand.Kind] = [
    "pk": .peaking, "ls": .lowShelf, "hs": .highShelf, "lp": .lowPass, "hp": .highPass,
  ]
  private static let channels: [Substring: Equalizer.Channel] = ["l": .left, "r": .right]

  init?(argument: String) { try? self.init(argument) }

  /// Reads a band, with an error that says what was expected and what came.
  init(_ text: String) throws {
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
    let shape = kind ?? .peaking
    let isPass = shape == .lowPass || shape == .highPass
    let numbers = fields.compactMap { Double($0) }
    guard numbers.count == fields.count, numbers.allSatisfy(\.isFinite),
      (isPass ? 1...2 : 2...3).contains(numbers.count)
    else {
      throw ValidationError("expected \(Self.form), got '\(text)'")
    }
    let last = numbers.count == (isPass ? 2 : 3) ? numbers.last : nil
    band = EqualizerBand(
      shape, frequency: numbers[0], gain: isPass ? 0 : numbers[1], q: last ?? Self.defaultQuality(of: shape))
    self.channel = channel ?? .both
    do {
      try EqualizerSettings(left: [band]).check(sampleRate: nil)
    } catch {
      throw ValidationError("'\(text)': " + error.message.replacing("left band 1: ", with: ""))
    }
  }

  /// One octave for a bell; the steepest slope without a bump for the others.
  private static func defaultQuality(of kind: EqualizerBand.Kind) -> Double {
    kind == .peaking ? EqualizerBand.octavesToQ(1) : 0.5.squareRoot()
  }
}
