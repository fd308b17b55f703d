/// The columns of a spectrogram, in memory that does not grow with the recording: when all columns are in use, neighbours are
/// merged in pairs, which keep the higher level of each frequency.
public struct SpectrogramColumns: Sendable {
  /// The most columns: more than a picture of common width has.
  public static let maximumColumnCount = 2_048

  /// The number of levels in a column.
  public let levelsPerColumn: Int
  /// The columns, one after the other.
  public private(set) var values: [Float] = []
  /// The number of frames in a column: a power of two.
  public private(set) var framesPerColumn = 1
  /// The number of added frames.
  public private(set) var frames = 0

  /// Creates columns without a frame.
  ///
  /// - Parameter levelsPerColumn: 1 or more, usually ``STFT/valuesPerFrame``.
  public init(levelsPerColumn: Int) {
    precondition(levelsPerColumn > 0, "levelsPerColumn must be at least 1, got \(levelsPerColumn)")
    self.levelsPerColumn = levelsPerColumn
  }

  /// The columns in use; the last one may hold fewer frames than the others.
  public var count: Int { values.count / levelsPerColumn }

  /// The levels of a column.
  ///
  /// - Parameter column: 0 to ``count`` - 1, by time.
  public func levels(of column: Int) -> ArraySlice<Float> {
    values[column * levelsPerColumn..<(column + 1) * levelsPerColumn]
  }

  /// Adds the next frame.
  /// - Parameter levels: ``levelsPerColumn`` of them.
  public mutating func add(_ levels: [Float]) {
    if frames.isMultiple(of: framesPerColumn) && count == Self.maximumColumnCount { mergeNeighbours() }
    if frames.isMultiple(of: framesPerColumn) {
      values += levels
    } else {
      let start = values.count - levelsPerColumn
      for row in 0..<levelsPerColumn { values[start + row] = max(values[start + row], levels[row]) }
    }
    frames += 1
  }

  private mutating func mergeNeighbours() {
    let length = levelsPerColumn
    for column in 0..<count / 2 {
      let (to, from) = (column * length, 2 * column * length)
      for row in 0..<length { values[to + row] = max(values[from + row], values[from + length + row]) }
    }
    values.removeLast(values.count - count / 2 * length)
    framesPerColumn *= 2
  }
}

/// Makes the columns of a spectrogram of one channel's samples, which arrive in buffers.
///
/// ```swift
/// var builder = try SpectrogramBuilder(STFT(size: 2_048, normalization: .amplitude, output: .decibels))
/// for try await samples in try await input.buffers().mono() { try builder.add(samples) }
/// try builder.finish()
/// print(builder.columns.count)
/// ```
public struct SpectrogramBuilder: ~Copyable {
  /// The columns so far.
  public private(set) var columns: SpectrogramColumns
  private var stream: STFTStream

  /// Creates an empty spectrogram.
  ///
  /// - Parameter stft: a transform with an output of which the higher values are kept, usually decibels.
  /// - Throws: ``FFTError`` as ``STFTStream/init(_:)``.
  public init(_ stft: STFT) throws(FFTError) {
    stream = try STFTStream(stft)
    columns = SpectrogramColumns(levelsPerColumn: stft.valuesPerFrame)
  }

  /// Adds the next samples.
  ///
  /// - Throws: ``FFTError`` after ``finish()``.
  public mutating func add(_ block: [Float]) throws(FFTError) {
    var row = [Float](repeating: 0, count: columns.levelsPerColumn)
    var taken = 0
    var isWritten = true
    while taken < block.count || isWritten {
      var output = row.mutableSpan
      let step = try stream.push(block.span.extracting(taken...), into: &output)
      taken += step.taken
      isWritten = step.frames == 1
      if isWritten { columns.add(row) }
    }
  }

  /// Adds the frames that reach beyond the end.
  ///
  /// - Throws: ``FFTError`` as the transform does.
  public mutating func finish() throws(FFTError) {
    var row = [Float](repeating: 0, count: columns.levelsPerColumn)
    while true {
      var output = row.mutableSpan
      if try stream.finish(into: &output) == 0 { return }
      columns.add(row)
    }
  }
}
