/// The word that was probably meant by a mistyped one.
package enum Suggestion {
  /// The candidate with the fewest edits: at most one for a word of up to four characters, two for a longer one.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    let limit = word.count <= 4 ? 1 : 2
    return candidates.map { (name: $0, edits: edits(from: word.lowercased(), to: $0)) }
      .filter { $0.edits <= limit }
      .min { $0.edits < $1.edits }?.name
  }

  /// The advice `did you mean …?`; nil without a candidate that is near enough.
  package static func advice(for word: String, among candidates: [String]) -> String? {
    nearest(to: word, among: candidates).map { "Did you mean \($0)?" }
  }

  /// The number of insertions, deletions, replacements and swaps of neighbours from one word to the other (the optimal
  /// string alignment distance).
  static func edits(from first: String, to second: String) -> Int {
    let (a, b) = (Array(first), Array(second))
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
        row.append(best)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
