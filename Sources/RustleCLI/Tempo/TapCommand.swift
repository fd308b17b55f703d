internal import ArgumentParser
import Foundation
import RustlePlot
import RustleTempo

struct TapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap",
    abstract: "Measure a tempo from taps.",
    usage: """
      rustle tap [--json] < times
      """,
    discussion: """
      Each line of standard input is the time of a tap in seconds; an empty line is a tap of the time at which it comes, so that Enter \
      taps on a terminal. A line is written for each, from the second tap on with tempo and phase by least squares over the last 16. A \
      missed tap is a gap, of a doubled one only the first counts; a tap after 3 s and 2.5 periods begins anew.

      EXAMPLES:
        rustle tap
        printf '%s\\n' 0 0.5 1.0 1.5 | rustle tap --json

      NDJSON FIELDS:
      \(columns.fieldList())
      """)

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  /// A tap and what is known with it.
  struct Tap: Sendable {
    let outcome: TapTempo.Outcome
    let estimate: TapTempo.Estimate?

    var name: String {
      switch outcome {
      case .first: "first"
      case .counted: "counted"
      case .doubled: "doubled"
      case .outOfOrder: "out_of_order"
      }
    }
  }

  func run() async throws {
    log.bootstrap()
    let table = Table(Self.columns, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    try LineWriter.standardOutput.write(table.header)
    var taps = try TapTempo()
    var number = 0
    // Times of the input are after this one, so that they have a host time.
    let zero = HostTime(microseconds: 0)
    while let line = readLine()?.trimmingCharacters(in: .whitespaces) {
      number += 1
      var time: HostTime?
      if !line.isEmpty {
        guard let seconds = Double(line), (0...1e9).contains(seconds) else {
          throw CommandFailure(
            .badData, "line \(number): expected a time of 0 to 1e9 s, or an empty line, got '\(line)'",
            advice: "Write one tap's time on each line.")
        }
        time = zero + .microseconds(Int64((seconds * 1e6).rounded()))
      }
      let outcome = try taps.tap(at: time)
      try LineWriter.standardOutput.write(table.line(Tap(outcome: outcome, estimate: taps.estimate)))
    }
  }

  static let columns: [Column<Tap>] = [
    Column("outcome", "first, counted, doubled or out_of_order", \.name),
    Column("taps", "taps since the first one") { $0.estimate?.tapCount ?? 1 },
    Column("bpm", "the tempo, or null") { $0.estimate?.tempo },
    Column("bpm_error", "its standard error") { $0.estimate?.tempoError },
    Column("phase_error_ms", "the standard error of the phase at the tap") {
      $0.estimate.map { $0.phaseError / .milliseconds(1) }
    },
    Column("suggested_factor", "0.5 or 2, where half or double the tempo is likelier, or null") {
      $0.estimate?.suggestedFactor
    },
  ]

  static func text(_ tap: Tap) -> String {
    guard let estimate = tap.estimate else { return "tap again\n" }
    let tempo = String(
      format: "%7.2f BPM  +- %.2f  phase +- %.1f ms  taps: %d", estimate.tempo, estimate.tempoError,
      estimate.phaseError / .milliseconds(1), estimate.tapCount)
    let factor = estimate.suggestedFactor.map { $0 < 1 ? "  half?" : "  double?" } ?? ""
    return tempo + factor + (tap.name == "counted" ? "" : "  \(tap.name)") + "\n"
  }
}
