/// Which of several runs counts where each takes the place of the one before: a value, without tasks.
///
/// A run has any number of pieces of work. Whatever overtakes it, another run or an end, has its work cancelled; work that was
/// overtaken takes a moment to leave, and an end waits for all that has not left.
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

  /// The run that counts.
  package private(set) var newest = Run(number: 0)
  private var pieces: [(piece: Piece, work: Work)] = []
  private var lastNumber: UInt64 = 0

  /// Nothing runs.
  package init() {}

  /// The work that has not left, the oldest first.
  package var unfinished: [Work] { pieces.map(\.work) }

  /// Begins a run, or an end, in the place of what ran.
  ///
  /// - Returns: the work that is to be cancelled; that of runs which were overtaken before is not among it.
  package mutating func overtake() -> [Work] {
    let overtaken = pieces.filter { $0.piece.run == newest }.map(\.work)
    newest = Run(number: newest.number + 1)
    return overtaken
  }

  /// A new piece of a run's work; nil when the run was overtaken: it is not to be begun.
  package mutating func piece(of run: Run) -> Piece? {
    guard run == newest else { return nil }
    lastNumber += 1
    return Piece(run: run, number: lastNumber)
  }

  /// Work was begun.
  package mutating func began(_ piece: Piece, _ work: Work) { pieces.append((piece, work)) }

  /// Work has left.
  package mutating func left(_ piece: Piece) { pieces.removeAll { $0.piece == piece } }
}

extension RunMachine: Sendable where Work: Sendable {}
