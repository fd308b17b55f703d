internal import RustleCore

/// What is captured, or played to: a device and the shape of its sound.
public struct DeviceConfiguration: Sendable, Hashable {
  /// The device's name: ``AudioDevice/defaultName`` in doubt.
  public var device: String
  /// The format. The rate is a whole number of hertz; a device that does not take it is refused. PulseAudio, PipeWire and
  /// ALSA's `plug` devices take what the hardware has not, and resample by themselves.
  public var format: AudioFormat
  /// Frames between two wakes, about: 1 to 65,536. Less is sooner and costs more.
  public var period: Int
  /// The number of frames after which a session ends by itself, silence that a playback feeds its device included; nil: a
  /// capture never does, a playback when it is told that there is no more.
  public var frameLimit: Int?

  /// - Parameters:
  ///   - device: the device's name.
  ///   - format: the format.
  ///   - period: frames between two wakes; nil: those of 10 ms.
  ///   - frameLimit: frames after which a session ends by itself, 1 or more; nil: it does not.
  public init(
    device: String = AudioDevice.defaultName, format: AudioFormat, period: Int? = nil, frameLimit: Int? = nil
  ) {
    self.device = device
    self.format = format
    self.period = period ?? max(1, Int(format.sampleRate / 100))
    self.frameLimit = frameLimit
  }

  /// The most samples of a block of the native side, and the most blocks of its lane.
  private static let (samplesOfBlock, maximumBlockCount) = (256, 65_536)

  /// The blocks that a capture gives in two seconds, and in two wakes: a consumer that is held up for that long loses nothing.
  var blocksOfTwoSeconds: Int {
    let period = max(1, min(period, 65_536))
    let framesOfBlock = max(1, Self.samplesOfBlock / format.channels)
    // The last block of each wake may be short.
    let blocksOfPeriod = (period + framesOfBlock - 1) / framesOfBlock
    let periods = max(2, Int(2 * format.sampleRate / Double(period)) + 1)
    return min(Self.maximumBlockCount, max(256, periods * blocksOfPeriod))
  }

  func native() throws(AudioError) -> NativeSoundConfiguration {
    guard let rate = Int(exactly: format.sampleRate) else {
      throw .validation("sampleRate", expected: "a whole number of hertz", got: "\(format.sampleRate)")
    }
    if let frameLimit, frameLimit < 1 {
      throw .validation("frameLimit", expected: "1 frame or more, or no limit", got: "\(frameLimit)")
    }
    guard (1...65_536).contains(period) else {
      throw .validation("period", expected: "1 to 65536 frames", got: "\(period)")
    }
    guard !device.isEmpty else { throw .validation("device", expected: "the name of a device", got: "none") }
    return NativeSoundConfiguration(
      device: device, frameLimit: frameLimit.map(UInt64.init) ?? 0, sampleRate: rate, channels: format.channels,
      period: period)
  }
}
