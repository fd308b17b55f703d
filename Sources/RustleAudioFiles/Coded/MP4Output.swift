internal import Foundation

/// An M4A file of AAC that FFmpeg's program writes, a quarter of a second at a time.
///
/// Each fragment says what it holds, so that a file whose writers were killed opens up to its last one. When only the caller's
/// process is killed, the program completes the file.
final class MP4Output: EncodedOutput {
  private let file: OutputFile
  private let input: ProgramChannel
  private let program: FFmpeg
  private let synchronizes: Bool
  private var samples = DefinedSamples()
  private var isClosed = false

  init(
    file: OutputFile, sampleRate: Int, channels: Int, quality: Double, synchronizes: Bool
  ) throws(AudioFileError) {
    self.file = file
    self.synchronizes = synchronizes
    input = try ProgramChannel(path: file.path)
    program = try FFmpeg.encoder(
      of: file.path, sampleRate: sampleRate, channels: channels,
      bitRate: AudioFileWriter.Container.m4a.bitRate(quality: quality, channels: channels, sampleRate: sampleRate),
      from: input.theirs, to: file.handle)
    try? input.theirs.close()
  }

  deinit { try? close() }

  let clippedSamples = 0
  var undefinedSamples: Int { samples.undefinedSamples }

  func write(_ samples: ArraySlice<Float>, peak: Float?) throws(AudioFileError) {
    guard !isClosed, !input.write(self.samples.of(samples, peak: peak)) else { return }
    try close()
    throw failed("the encoder ended early")
  }

  func close() throws(AudioFileError) {
    guard !isClosed else { return }
    isClosed = true
    input.close()
    if let failure = program.failure() {
      file.cut { MP4Boxes(of: $0).end }
      throw failed(failure)
    }
    if synchronizes { try file.synchronize() }
    try file.close()
  }

  private func failed(_ text: String) -> AudioFileError {
    if text.contains("No space left") || text.contains("File too large") || text.contains("quota") {
      return AudioFileError(
        .diskFull, path: file.path, reason: "the disk, the quota or the largest file is full",
        advice: "Make room, or write to another disk.")
    }
    return AudioFileError(.writeFailed, path: file.path, reason: "encoding failed: \(text)", advice: "Check the disk.")
  }
}
