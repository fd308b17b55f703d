/// The state of successive runs, each of which replaces the previous one: a value, without tasks.
///
/// A run has any number of pieces of work. Another run or an end replaces it and cancels its work; cancelled work takes a moment
/// to finish, and an end waits for all unfinished work.
package struct RunMachine<Work> {
  /// A run, or the time after an end.
  package struct Run: Sendable, Hashable {
    fileprivate let number: UInt64
  }

  /// A piece of a run's work.
  package struct Piece: Sendable, Hashable {
    fileprivate let run: Run
    fileprivate let number: UInt64
  }

  /// The current run.
  package private(set) var newest = Run(number: 0)
  private var pieces: [(piece: Piece, work: Work)] = []
  private var lastNumber: UInt64 = 0

  /// Creates a machine without runs.
  package init() {}

  /// The unfinished work, the oldest first.
  package var unfinished: [Work] { pieces.map(\.work) }

  /// Begins a run, or an end, and replaces the current run.
  ///
  /// - Returns: the work to cancel, without that of runs replaced before.
  package mutating func overtake() -> [Work] {
    let overtaken = pieces.filter { $0.piece.run == newest }.map(\.work)
    newest = Run(number: newest.number + 1)
    return overtaken
  }

  /// Returns a new piece of a run's work; nil, with nothing to begin, when the run was replaced.
  package mutating func piece(of run: Run) -> Piece? {
    guard run == newest else { return nil }
    lastNumber += 1
    return Piece(run: run, number: lastNumber)
  }

  /// Records that work began.
  package mutating func began(_ piece: Piece, _ work: Work) { pieces.append((piece, work)) }

  /// Records that work finished.
  package mutating func left(_ piece: Piece) { pieces.removeAll { $0.piece == piece } }
}

extension RunMachine: Sendable where Work: Sendable {}
