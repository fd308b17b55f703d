import Foundation

/// What a piece of work cost.
struct Cost {
  /// Things that were done: calls, updates.
  var count: UInt64
  /// Processor time of the whole process, all threads, in seconds.
  var processorSeconds: Double
  /// Time that passed, in seconds.
  var wallSeconds: Double

  var processorNanosecondsEach: Double { processorSeconds * 1e9 / Double(count) }
  var wallNanosecondsEach: Double { wallSeconds * 1e9 / Double(count) }

  /// As the asynchronous one, without a point at which the thread could change.
  static func of(_ work: () throws -> UInt64) rethrows -> Cost {
    let wall = ContinuousClock.now
    let processor = clock()
    let count = try work()
    let used = clock() - processor
    let passed = ContinuousClock.now - wall
    return Cost(
      count: count, processorSeconds: Double(used) / Double(CLOCKS_PER_SEC), wallSeconds: passed / .seconds(1))
  }

  /// Measures `work`, which returns how many things it did.
  static func of(_ work: () async throws -> UInt64) async rethrows -> Cost {
    let wall = ContinuousClock.now
    let processor = clock()
    let count = try await work()
    let used = clock() - processor
    let passed = ContinuousClock.now - wall
    return Cost(
      count: count, processorSeconds: Double(used) / Double(CLOCKS_PER_SEC), wallSeconds: passed / .seconds(1))
  }
}

/// Memory of this process.
enum Memory {
  /// The bytes that are in memory now; nil where the system has no /proc.
  static var resident: Int? {
    // The second number of statm, in pages of 4 KiB (Linux, proc(5); x86-64).
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4_096 }
  }

}

/// Follows the memory of this process through a run.
final class Watch {
  private var first: Int?
  private var most: Int?
  private var latest = ContinuousClock.now

  /// Looks. The first look is what the growth is counted from.
  func look() {
    guard let resident = Memory.resident else { return }
    if first == nil { first = resident }
    most = max(most ?? resident, resident)
  }

  /// Looks, unless it did in the last 10 ms: looking costs a few system calls.
  func lookNowAndThen() {
    let now = ContinuousClock.now
    if now - latest < .milliseconds(10) { return }
    latest = now
    look()
  }

  /// The growth from the first look to the largest, in MiB, for a table.
  var growth: String {
    guard let first, let most else { return "–" }
    return String(format: "%.1f MiB", Double(most - first) / 1_048_576)
  }
}

/// A named piece of work.
struct Case {
  let name: String
  let run: () async throws -> UInt64
}

/// Runs every case once a round, in turns, so that a slow moment of the machine meets all of them, and keeps the best.
func measureInTurns(_ cases: [Case], rounds: Int) async throws -> [Cost] {
  var best: [Cost?] = Array(repeating: nil, count: cases.count)
  for _ in 0..<rounds {
    for (index, item) in cases.enumerated() {
      let cost = try await Cost.of(item.run)
      if let known = best[index], known.processorNanosecondsEach <= cost.processorNanosecondsEach { continue }
      best[index] = cost
    }
  }
  return best.compactMap { $0 }
}

/// Prints a table in Markdown; the first column is text, the others are figures.
func printTable(_ header: [String], _ rows: [[String]]) {
  print("| " + header.joined(separator: " | ") + " |")
  print("|---|" + header.dropFirst().map { _ in "---:|" }.joined())
  for row in rows { print("| " + row.joined(separator: " | ") + " |") }
  print()
}

/// A whole number with its thousands set apart.
func grouped(_ value: UInt64) -> String {
  var text = ""
  for (index, digit) in String(value).reversed().enumerated() {
    if index > 0 && index.isMultiple(of: 3) { text.append(",") }
    text.append(digit)
  }
  return String(text.reversed())
}

/// A figure with three significant digits or no fraction.
func figure(_ value: Double) -> String {
  String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
}
