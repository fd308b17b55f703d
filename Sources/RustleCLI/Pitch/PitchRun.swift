import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

/// Reads a sound to its end and follows its pitch.
struct PitchRun: ~Copyable {
  private let sound: SoundInput
  private let configuration: PitchConfiguration
  private let decoding: PitchDecoding
  private let channel: Int?
  private var tracker: PitchTracker
  private var spectrogram: SpectrogramBuilder
  private let stft: STFT
  private let draws: Bool

  /// - Parameters:
  ///   - channel: counted from 1; nil: the mean of all.
  ///   - draws: whether there is to be a picture.
  init(
    sound: SoundInput, configuration: PitchConfiguration, decoding: PitchDecoding, channel: Int?, draws: Bool
  ) throws {
    let tracker = try PitchTracker(configuration)
    // The partials of the lowest note are told apart.
    let stft = try STFT(size: max(2_048, tracker.window), window: .hann, scale: .amplitude, form: .decibels)
    spectrogram = try SpectrogramBuilder(stft)
    self.stft = stft
    self.tracker = tracker
    self.draws = draws
    self.sound = sound
    self.configuration = configuration
    self.decoding = decoding
    self.channel = channel
  }

  /// The samples of a frame.
  var window: Int { tracker.window }
  /// The frequencies that are looked for, in Hz.
  var range: ClosedRange<Double> { tracker.range }

  /// All frames, or none when they were not to be kept.
  ///
  /// - Parameter found: takes new frames as soon as they are there, and says whether they are to be kept; frames that wait for
  ///   the end of the sound come once, and none while it is read.
  mutating func frames(
    showsProgress: Bool, found: ([PitchFrame]) throws -> Bool
  ) async throws -> [PitchFrame] {
    var progress = ProgressLine(total: sound.expectedFrames, isEnabled: showsProgress)
    defer { progress.end() }
    let selection: ChannelSelection = channel.map { .channel($0 - 1) } ?? .mix
    var (kept, fresh): ([PitchFrame], [PitchFrame]) = ([], [])
    var (block, signal): ([Float], [Float]) = ([], [])
    for try await buffer in sound.buffers() {
      selection.reduce(buffer.samples, channels: buffer.format.channels, into: &block)
      if draws { try spectrogram.add(block) }
      switch decoding {
      case .viterbi: signal += block
      case .frame:
        fresh.removeAll(keepingCapacity: true)
        try tracker.process(block.span, into: &fresh)
        if try found(fresh) { kept += fresh }
      }
      progress.update(sound.tally.frames)
    }
    try sound.checkIsNotEmpty()
    if draws { try spectrogram.finish() }
    guard decoding == .viterbi else { return kept }
    let frames = try PitchTracker.contour(of: signal.span, configuration: configuration, decoding: decoding)
    return try found(frames) ? frames : []
  }

  /// The contour over the spectrogram; nil when there was to be none.
  func picture(frames: [PitchFrame], threshold: Double) -> HeatMap? {
    guard draws else { return nil }
    let format =
      sound.file
      ?? AudioFileFormat(
        sampleRate: sound.format.sampleRate, channels: sound.format.channels, frames: sound.tally.frames,
        container: "raw", codec: "samples")
    let result = SpectrogramResult(
      path: sound.name, format: format, channel: channel, framesRead: sound.tally.frames, stft: stft,
      columns: spectrogram.columns,
      range: 90, maximumFrequency: min(format.sampleRate / 2, 2 * range.upperBound), isLogarithmic: true,
      minimumFrequency: min(20, range.lowerBound))
    let bounds = String(format: "%.4g to %.4g Hz", range.lowerBound, range.upperBound)
    let subtitle =
      "\(result.lines[0]); method \(configuration.method.rawValue), \(bounds), frames of \(window) samples, one each "
      + "\(configuration.hop)"
    return PitchPicture.plot(
      result, frames: frames, threshold: threshold, hop: Double(configuration.hop) / format.sampleRate,
      subtitle: subtitle)
  }
}
