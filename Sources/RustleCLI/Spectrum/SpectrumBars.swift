import Foundation
import RustlePlot

/// Draws a spectrum with block characters over a logarithmic frequency axis. A pure function of what it is given.
struct SpectrumBars {
  /// The rows of bars.
  static let height = 12
  /// Columns for the levels and the mark at the left.
  private static let labelWidth = 6

  let profile: TerminalProfile
  private let frequencies: [Double]
  private let decibels: [Double]

  /// - Parameters:
  ///   - frequencies: hertz, rising, as many as levels.
  ///   - decibels: levels; minus infinity is silence.
  init(frequencies: [Double], decibels: [Double], profile: TerminalProfile) {
    self.frequencies = frequencies
    self.decibels = decibels
    self.profile = profile
  }

  /// From 20 Hz, or the first bin where that is higher, to half the sample rate.
  static func frequencyRange(_ frequencies: [Double]) -> ClosedRange<Double> {
    let top = max(frequencies.last ?? 0, 2)
    let bottom = max(20, frequencies.count > 1 ? frequencies[1] : 20)
    return min(bottom, top / 2)...top
  }

  /// 90 dB down from the next ten above the highest level. Below -120 dBFS there is nothing that 24 bits can hold: such
  /// a spectrum is drawn as silence against full scale.
  static func levelRange(_ decibels: [Double]) -> ClosedRange<Double> {
    let highest = decibels.filter(\.isFinite).max() ?? -.infinity
    let top = highest > -120 ? (highest / 10).rounded(.up) * 10 : 0
    return top - 90...top
  }

  /// The lines, each ended by a line feed.
  func text() -> String {
    let glyphs = Glyphs(for: profile)
    let painter = Painter(isEnabled: profile.usesColor)
    let columns = max(10, profile.columns - Self.labelWidth - 1)
    let xAxis = Axis.frequency(Self.frequencyRange(frequencies), maximumLabels: max(4, columns / 5))
    let yAxis = Axis.level(Self.levelRange(decibels), maximumLabels: Self.height / 2)
    let levels = Self.columns(columns, frequencies: frequencies, decibels: decibels, axis: xAxis)
    let labels = rowLabels(yAxis, glyphs)
    var lines = [painter("dBFS".leftPadded(to: Self.labelWidth - 1), .dim)]
    for row in 0..<Self.height {
      let bars = String(levels.map { Self.bar(yAxis.fraction(of: $0), row: row, glyphs: glyphs) })
      let mark = labels[row] == nil ? glyphs.vertical : glyphs.leftMark
      let label = (labels[row] ?? "").leftPadded(to: Self.labelWidth - 1)
      let trimmed = String(bars.reversed().drop { $0 == " " }.reversed())
      lines.append(painter("\(label) \(mark)", .dim) + painter(trimmed, .cyan))
    }
    lines += xLabels(xAxis, columns: columns, glyphs: glyphs).map { painter($0, .dim) }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The highest level in each column's band of frequencies. Where bins are wider than columns the level between two
  /// bins is drawn on the straight line between them.
  static func columns(_ count: Int, frequencies: [Double], decibels: [Double], axis: Axis) -> [Double] {
    var bin = 0
    return (0..<count).map { column in
      let low = axis.value(at: Double(column) / Double(count))
      let high = axis.value(at: Double(column + 1) / Double(count))
      while bin < frequencies.count && frequencies[bin] < low { bin += 1 }
      var highest: Double?
      var next = bin
      while next < frequencies.count && frequencies[next] < high || next == frequencies.count - 1 {
        highest = max(highest ?? -.infinity, decibels[next])
        next += 1
      }
      if let highest { return highest }
      guard bin > 0, bin < frequencies.count else { return -.infinity }
      let fraction = ((low + high) / 2 - frequencies[bin - 1]) / (frequencies[bin] - frequencies[bin - 1])
      let (below, above) = (decibels[bin - 1], decibels[bin])
      guard below.isFinite, above.isFinite else { return max(below, above) }
      return below + min(max(fraction, 0), 1) * (above - below)
    }
  }

  /// One character of a bar that fills `fraction` of all rows; row 0 is the highest.
  private static func bar(_ fraction: Double, row: Int, glyphs: Glyphs) -> Character {
    guard fraction.isFinite else { return " " }
    let eighths = Int((fraction * Double(height * 8)).rounded()) - (height - 1 - row) * 8
    return eighths <= 0 ? " " : glyphs.bars[min(eighths, 8) - 1]
  }

  /// The label of each row that has one: a level stands where a bar of that level ends.
  private func rowLabels(_ axis: Axis, _ glyphs: Glyphs) -> [Int: String] {
    var labels: [Int: String] = [:]
    for tick in axis.ticks {
      let row = Self.height - Int((axis.fraction(of: tick.value) * Double(Self.height)).rounded())
      let text = axis.label(tick.value).replacing("\u{2212}", with: String(glyphs.minus))
      if row < Self.height { labels[row] = text }
    }
    return labels
  }

  /// The axis below the bars with its marks, and the labels centred under them as far as they fit.
  private func xLabels(_ axis: Axis, columns: Int, glyphs: Glyphs) -> [String] {
    let margin = String(repeating: " ", count: Self.labelWidth)
    var bottom = BottomAxis(axis, columns: columns, glyphs: glyphs)
    bottom.add(unit: "Hz")
    return [
      margin + String(glyphs.corner) + String(bottom.line),
      margin + " " + String(bottom.labels).trimmingCharacters(in: .newlines),
    ]
  }
}

extension String {
  /// The text with spaces before it, so that it has at least `count` characters.
  func leftPadded(to count: Int) -> String { String(repeating: " ", count: max(0, count - self.count)) + self }

  /// The text with spaces behind it up to a number of characters.
  func rightPadded(to count: Int) -> String { self + String(repeating: " ", count: max(0, count - self.count)) }
}
