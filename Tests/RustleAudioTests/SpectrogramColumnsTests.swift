import RustleAudio
import TestSupport
import Testing

/// The columns of a spectrogram, however long the sound is and however it comes.
@Suite(.releasesNativeObjects) struct SpectrogramColumnsTests {
  @Test func longRecordingsKeepTheHighestLevels() {
    var columns = SpectrogramColumns(levelsPerColumn: 2)
    let frames = 5 * SpectrogramColumns.maximumColumnCount + 3
    for frame in 0..<frames { columns.add([Float(frame), Float(-frame)]) }
    #expect((columns.framesPerColumn, columns.frames) == (8, frames))
    #expect(columns.count == (frames + 7) / 8)
    for column in 0..<columns.count {
      #expect(columns.values[2 * column] == Float(min(8 * column + 7, frames - 1)))
      #expect(columns.values[2 * column + 1] == Float(-8 * column))
    }
  }

  @Test(arguments: [1, 100, 1_000]) func blocksOfAnySizeAreTheFramesOfTheWhole(size: Int) throws {
    let signal = noise(seed: 77, count: 1_000)
    let stft = try STFT(size: 64, hop: 16, normalization: .amplitude, output: .decibels)
    var builder = try SpectrogramBuilder(stft)
    for start in stride(from: 0, to: signal.count, by: size) {
      try builder.add(Array(signal[start..<min(signal.count, start + size)]))
    }
    try builder.finish()
    let columns = builder.columns
    #expect((columns.levelsPerColumn, columns.frames) == (stft.valuesPerFrame, stft.frameCount(of: signal.count)))
    #expect(columns.values == (try stft.frames(of: signal)))
  }
}
