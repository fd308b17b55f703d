/// The frames of a spectrogram, in a memory that does not grow with the recording: when all columns are in use, each two
/// neighbours become one, which keeps the higher level of each frequency.
struct SpectrogramColumns {
  /// The most columns that are kept: more than a picture of the usual width has.
  static let most = 2_048

  /// The levels of a column.
  let rows: Int
  /// The columns, one after the other.
  private(set) var values: [Float] = []
  /// The frames that a column holds: a power of two.
  private(set) var framesEach = 1
  /// Frames that were added.
  private(set) var frames = 0

  init(rows: Int) { self.rows = rows }

  /// The columns in use; the last one may hold fewer frames than the others.
  var count: Int { values.count / rows }

  /// Takes in the next frame.
  mutating func add(_ levels: [Float]) {
    if frames.isMultiple(of: framesEach) {
      if count == Self.most { mergeNeighbours() }
    }
    if frames.isMultiple(of: framesEach) {
      values += levels
    } else {
      let start = values.count - rows
      for row in 0..<rows { values[start + row] = max(values[start + row], levels[row]) }
    }
    frames += 1
  }

  private mutating func mergeNeighbours() {
    for column in 0..<count / 2 {
      let (to, from) = (column * rows, 2 * column * rows)
      for row in 0..<rows { values[to + row] = max(values[from + row], values[from + rows + row]) }
    }
    values.removeLast(values.count - count / 2 * rows)
    framesEach *= 2
  }
}
