import Foundation
import RustleAudio
import RustleAudioFiles

/// Sound that anybody can make again from the number of the frame: every sample is an integer of 16 bits, and the sound repeats
/// after 65,536 frames.
enum TestSound {
  static func sample(frame: Int, channel: Int) -> Float {
    Float(Int16(truncatingIfNeeded: (frame &+ 1) &* 7_919 &+ channel &* 104_729)) / 32_768
  }

  static func samples(_ frames: Range<Int>, channels: Int) -> [Float] {
    var samples: [Float] = []
    samples.reserveCapacity(frames.count * channels)
    for frame in frames { for channel in 0..<channels { samples.append(sample(frame: frame, channel: channel)) } }
    return samples
  }

  static func buffer(_ frames: Range<Int>, _ format: AudioFormat) -> PCMBuffer {
    PCMBuffer(
      format: format, wholeFrames: samples(frames, channels: format.channels), position: Int64(frames.lowerBound))
  }

  /// The samples of a file, all of them.
  static func read(_ path: String) throws -> [Float] {
    var reader = try AudioFileReader(path: path)
    var samples: [Float] = []
    var block: [Float] = []
    while try reader.read(into: &block, maximumFrameCount: 4_096) > 0 { samples += block }
    return samples
  }

  /// Whether the samples are those of the sound from its beginning.
  static func isBeginning(_ samples: [Float], channels: Int) -> Bool {
    samples == Self.samples(0..<samples.count / channels, channels: channels)
  }
}
