import RustleAudio

/// Makes the columns of a spectrogram of samples that come in blocks.
struct SpectrogramBuilder: ~Copyable {
  private(set) var columns: SpectrogramColumns
  private var stream: STFTStream
  /// A frame's memory, which is taken out for a call.
  private var spare: [Float]

  /// - Parameter stft: a transform whose form is decibels.
  init(_ stft: STFT) throws(FFTError) {
    stream = try STFTStream(stft)
    columns = SpectrogramColumns(rows: stft.rowCount)
    spare = [Float](repeating: 0, count: stft.rowCount)
  }

  /// Takes in the next samples.
  mutating func add(_ block: [Float]) throws(FFTError) {
    var row: [Float] = []
    swap(&row, &spare)
    defer { swap(&row, &spare) }
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

  /// Takes in the frames that reach beyond the end.
  mutating func finish() throws(FFTError) {
    var row: [Float] = []
    swap(&row, &spare)
    defer { swap(&row, &spare) }
    while true {
      var output = row.mutableSpan
      if try stream.finish(into: &output) == 0 { return }
      columns.add(row)
    }
  }
}
