internal import RustleCore

/// A device for capture or playback, and the format of its sound.
public struct DeviceConfiguration: Sendable, Hashable {
  /// The device's name: ``AudioDevice/defaultName`` for the system's choice.
  public var device: String
  /// The format. The rate is a whole number of hertz; a device that does not support it is refused. PulseAudio, PipeWire and
  /// ALSA's `plug` devices accept rates that the hardware does not support, and resample.
  public var format: AudioFormat
  /// The approximate number of frames between two wakes: 1 to 65,536. Fewer have less latency and cost more.
  public var period: Int
  /// The number of frames after which a session ends, inserted silence of a playback included; nil: a capture never ends, a
  /// playback with the end of its sound.
  public var frameLimit: Int?

  /// - Parameters:
  ///   - device: the device's name.
  ///   - format: the format.
  ///   - period: frames between two wakes; nil: 10 ms.
  ///   - frameLimit: frames after which a session ends, 1 or more; nil: no limit.
  public init(
    device: String = AudioDevice.defaultName, format: AudioFormat, period: Int? = nil, frameLimit: Int? = nil
  ) {
    self.device = device
    self.format = format
    self.period = period ?? max(1, Int(format.sampleRate / 100))
    self.frameLimit = frameLimit
  }

  /// The most samples of a block of the native side, and the most blocks of its buffer.
  private static let (samplesOfBlock, maximumBlockCount) = (256, 65_536)

  /// The blocks of a capture in two seconds and two wakes: for a consumer that stalls for that long none is dropped.
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
