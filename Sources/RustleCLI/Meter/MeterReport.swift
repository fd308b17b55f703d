import Foundation
import RustleAudio

/// The whole measurement, for people: levels, percentiles, loudness, bands. A pure function of what it is given.
struct MeterReport {
  let subject: SoundSubject
  let profile: TerminalProfile

  private var glyphs: Glyphs { Glyphs(for: profile) }
  private var painter: Painter { Painter(isEnabled: profile.usesColor) }

  /// The lines, each ended by a line feed.
  func text(_ state: MeterState) -> String { lines(state).map { $0.text + "\n" }.joined() }

  /// The lines with the columns that each takes.
  func lines(_ state: MeterState) -> [ScreenLine] {
    let layout = MeterLayout(profile: profile)
    var lines = [
      profile.line(subject.name, .bold), profile.line(subject.line, nil),
      profile.line("measured \(Numbers.time(state.seconds)), \(Self.weighting(state))", nil),
      profile.line(state.calibrationText, nil), ("", 0),
    ]
    lines += layout.table(levels(state), unit: state.unit)
    lines += layout.table(
      state.exceeded.map { ("\(Self.percentile($0, state))", $0.level) }, unit: state.unit)
    if let loudness = state.loudness { lines += layout.loudness(loudness, isWhole: true) }
    if !state.shares.isEmpty { lines += [("", 0), profile.line(shares(state), nil)] }
    for fault in Self.faultTexts(state) { lines.append(profile.line(fault, .red)) }
    if !state.bands.isEmpty { lines += [("", 0)] + MeterBands(profile: profile).lines(state) }
    return lines
  }

  private func levels(_ state: MeterState) -> [(String, Double?)] {
    [
      (state.equivalentName, state.equivalent), ("\(state.levelName)max", state.maximum),
      ("\(state.levelName)min", state.minimum), ("LCpeak", state.peak), (state.exposureName, state.exposure),
    ]
  }

  /// For example `silent 85 %, quiet 15 % of the time`.
  private func shares(_ state: MeterState) -> String {
    let words = zip(NoiseClass.allCases, state.shares).filter { $1 > 0 }
      .map { "\($0.name) \(String(format: "%.0f", $1 * 100)) %" }
    let scale = state.hasWordOfLevel ? "" : "on the scale from 0 to 120: "
    return scale + words.joined(separator: ", ") + " of the time"
  }

  /// The usual name of a percentile level: `LAF10`.
  static func percentile(_ exceeded: MeterState.Exceeded, _ state: MeterState) -> String {
    "\(state.levelName)\(exceeded.percent)"
  }

  /// For example `A-weighted, fast (125 ms)`.
  static func weighting(_ state: MeterState) -> String {
    let frequency =
      state.frequencyWeighting == .z ? "not weighted (Z)" : "\(state.frequencyWeighting.rawValue)-weighted"
    return frequency + (state.timeWeighting == .fast ? ", fast (F, 125 ms)" : ", slow (S, 1 s)")
  }

  /// What is wrong, in a word each.
  static func faults(_ state: MeterState) -> [String] {
    var faults: [String] = []
    if state.overloads > 0 { faults.append("OVERLOAD") }
    if state.lostFrames > 0 { faults.append("LOST \(state.lostFrames)") }
    if state.overruns > 0 { faults.append("OVERRUNS \(state.overruns)") }
    return faults
  }

  /// What is wrong, and what that means.
  static func faultTexts(_ state: MeterState) -> [String] {
    var texts: [String] = []
    if state.overloads > 0 {
      let samples = state.overloads == 1 ? "1 sample" : "\(state.overloads) samples"
      texts.append("OVERLOAD: \(samples) at or beyond full scale; levels may read too low")
    }
    if state.lostFrames > 0 || state.overruns > 0 {
      texts.append("LOST: \(state.lostFrames) frames, \(state.overruns) overruns of the device; they do not count")
    }
    return texts
  }
}
