internal import Foundation

/// The channels that a measurement is of.
public enum ChannelSelection: Sendable, Hashable {
  /// All: the arithmetic mean of their samples, so that a signal that is the same on each keeps its level; of a sound level meter
  /// the mean of their powers, in which the phase between channels has no effect, a silent channel counts, and the peak is the
  /// highest of any channel.
  case all
  /// One, counted from 0.
  case channel(Int)

  /// The selection of a channel counted from 1; of all without one.
  package init(number: Int?) { self = number.map { .channel($0 - 1) } ?? .all }

  /// The channel counted from 1; nil for all.
  package var number: Int? { index.map { $0 + 1 } }

  /// The channel counted from 0; nil for all.
  var index: Int? {
    guard case .channel(let index) = self else { return nil }
    return index
  }

  /// Refuses a channel that a sound does not have.
  func check(channels: Int) throws(AudioError) {
    if let index, !(0..<channels).contains(index) {
      throw .validation("channel", expected: "one below \(channels)", got: "\(index)")
    }
  }

  /// Reduces interleaved frames to one channel: the mean of all, or the chosen one.
  ///
  /// - Parameters:
  ///   - interleaved: whole frames of `channels` samples each; samples of an unfinished last frame are left out.
  ///   - channels: samples in a frame, at least 1.
  ///   - mono: its contents are replaced by one sample for each frame; its storage is kept for the next call.
  /// - Precondition: `channels` is at least 1, and the chosen channel is in `0 ..< channels`.
  public func reduce(_ interleaved: [Float], channels: Int, into mono: inout [Float]) {
    precondition(channels >= 1, "channels must be at least 1, got \(channels)")
    if let index { precondition((0..<channels).contains(index), "channel must be in 0 ..< \(channels), got \(index)") }
    let frames = interleaved.count / channels
    mono.removeAll(keepingCapacity: true)
    if channels == 1 {
      mono.append(contentsOf: interleaved)
      return
    }
    mono.reserveCapacity(frames)
    if let index {
      for frame in 0..<frames { mono.append(interleaved[frame * channels + index]) }
      return
    }
    // The sum is kept in double precision, so that the order of addition does not matter for many channels.
    let scale = 1 / Double(channels)
    for frame in 0..<frames {
      var sum = 0.0
      for channel in 0..<channels { sum += Double(interleaved[frame * channels + channel]) }
      mono.append(Float(sum * scale))
    }
  }
}

/// Whether the channels of a sound cancel each other in their mean, as when the wires of one microphone are swapped.
public struct ChannelCancellation: Sendable, Hashable {
  private var powerOfMean = 0.0
  private var powerOfChannels = 0.0

  /// Creates a measurement without sound.
  public init() {}

  /// Whether the power of the mean is less than a hundredth (-20 dB) of the channels' mean power. That of channels which have
  /// nothing in common is half (-3 dB).
  public var isPresent: Bool { powerOfMean < 0.01 * powerOfChannels }

  /// The level of the mean relative to that of the channels in dB; minus infinity for silence, nil without sound.
  public var level: Double? { powerOfChannels > 0 ? 10 * log10(powerOfMean / powerOfChannels) : nil }

  /// Adds frames and their mean.
  mutating func add(_ interleaved: [Float], channels: Int, mean: [Float]) {
    guard channels > 1 else { return }
    powerOfChannels += Self.energy(interleaved) / Double(channels)
    powerOfMean += Self.energy(mean)
  }

  /// Adds a buffer whose selected channels are `mono`; one channel alone cancels nothing.
  package mutating func add(_ buffer: PCMBuffer, _ selection: ChannelSelection, mono: [Float]) {
    if selection == .all { add(buffer.samples, channels: buffer.format.channels, mean: mono) }
  }

  /// The notice for people; nil unless ``isPresent``.
  package var notice: String? {
    guard isPresent, let level else { return nil }
    let mean = level.isFinite ? "\(Int((-level).rounded())) dB below their level" : "silent"
    return "the channels cancel each other: their mean is \(mean); choose one with --channel"
  }

  private static func energy(_ samples: [Float]) -> Double {
    var sum = 0.0
    for sample in samples where sample.isFinite { sum += Double(sample) * Double(sample) }
    return sum
  }
}

extension PCMBuffer {
  /// The selected channels of the buffer as one.
  package func mono(channel: ChannelSelection) -> [Float] {
    if format.channels == 1 { return samples }
    var mono: [Float] = []
    channel.reduce(samples, channels: format.channels, into: &mono)
    return mono
  }
}

extension AsyncSequence where Element == PCMBuffer {
  /// The selected channels of the buffers as one, a piece for each. Silence replaces dropped frames, except for gaps of more than a
  /// minute. A channel that a buffer does not have is an ``AudioError`` with ``AudioError/Code/validation``.
  public func mono(channel: ChannelSelection = .all) -> AsyncThrowingMapSequence<Self, [Float]> {
    map { buffer in
      try channel.check(channels: buffer.format.channels)
      let isGap = buffer.droppedFrames > 0 && buffer.droppedFrames <= Int64(60 * buffer.format.sampleRate)
      let silence = [Float](repeating: 0, count: isGap ? Int(buffer.droppedFrames) : 0)
      return silence + buffer.mono(channel: channel)
    }
  }
}
