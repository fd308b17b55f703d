internal import Foundation
internal import RustleCore

/// A sound level meter: levels (LAeq, LAFmax) in dB, loudness in LUFS (EBU R 128) and bands of sound that arrives in buffers.
///
/// ```swift
/// let meter = try SoundLevelMeter(format: capture.configuration.format)
/// for try await reading in try await meter.readings(of: capture) {
///   print(reading.levelName, reading.level, reading.calibration.unit, reading.levelZone.name)
/// }
/// ```
///
/// Any task may take readings while another one delivers buffers. Memory is of a fixed size, however long the measurement.
public actor SoundLevelMeter {
  /// The rate and the channels of the sound.
  public nonisolated let format: AudioFormat
  /// The measures and their parameters.
  public nonisolated let configuration: SoundLevelMeterConfiguration

  private let meter: NativeMeter
  private var droppedFrames: Int64 = 0
  private var overruns = 0

  /// - Parameters:
  ///   - format: of 8000 to 768,000 Hz and at most 24 channels.
  ///   - configuration: the measures and their parameters.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public init(
    format: AudioFormat, configuration: SoundLevelMeterConfiguration = SoundLevelMeterConfiguration()
  ) throws(AudioError) {
    try configuration.channel.check(channels: format.channels)
    self.format = format
    self.configuration = configuration
    do {
      meter = try NativeMeter(configuration.native(for: format))
    } catch {
      throw AudioError(error)
    }
  }

  /// Measures a buffer. Frames dropped before it are counted, but not measured.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/formatMismatch``; the buffer does not count then.
  public func process(_ buffer: PCMBuffer) throws(AudioError) {
    try buffer.expect(format)
    try AudioError.rethrowing { () throws(NativeError) in try meter.process(buffer.samples.span) }
    droppedFrames += buffer.droppedFrames
    overruns = buffer.overruns
  }

  /// The current reading.
  public var reading: SoundLevelReading {
    get throws(AudioError) {
      var exceeded: [SoundLevelReading.ExceedanceLevel] = []
      for percent in SoundLevelReading.ExceedanceLevel.percentages {
        exceeded.append(.init(percent: percent, level: try level(exceededFor: Double(percent))))
      }
      do {
        let offset = configuration.calibration.offset ?? 0
        let bands = try meter.bands().map { Band(center: $0.center, level: $0.level + offset) }
        return SoundLevelReading(
          try meter.read(), configuration, exceeded: exceeded, bands: bands, droppedFrames: droppedFrames,
          overruns: overruns)
      } catch {
        throw AudioError(error)
      }
    }
  }

  /// Returns the exceedance level in dB: the level that the sound exceeded for this percentage of the measured time, such as LAF10
  /// for 10 percent. It is counted from the time-weighted level every 10 ms, in steps of 0.1 dB; minus infinity for silence.
  ///
  /// - Parameter percent: 0 to 100.
  /// - Returns: nil in the first 5 time constants, which do not count.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public func level(exceededFor percent: Double) throws(AudioError) -> Double? {
    let level = try AudioError.rethrowing { () throws(NativeError) in try meter.exceeded(percent: percent) }
    return level.isNaN ? nil : level
  }

  /// The time-averaged level of one octave or one-third-octave band, in dB.
  public struct Band: Sendable, Hashable {
    /// The centre frequency in Hz.
    public let center: Double
    /// The level in dB with the calibration; not weighted.
    public let level: Double

    package init(center: Double, level: Double) {
      self.center = center
      self.level = level
    }

    /// The nominal centre frequency in Hz (IEC 61260-1, annex E): 31.5 for 31.623 Hz, 1250 for 1258.9 Hz.
    public var nominalCenter: Double {
      // Tenths of a decade, rounded as in the standard.
      let tenths = [1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8]
      let step = Int((10 * log10(center)).rounded())
      let decade = (Double(step) / 10).rounded(.down)
      return tenths[step - Int(decade) * 10] * pow(10, decade)
    }

    /// The band's name: its nominal centre frequency, from 1000 Hz on in kHz: `31.5`, `1.25k`.
    public var name: String {
      let center = nominalCenter
      return center < 1_000 ? String(format: "%.4g", center) : String(format: "%.4gk", center / 1_000)
    }
  }

  /// Adds the measurement of another meter, as if its sound had been measured too: mean levels are over the time of both,
  /// percentiles and the gates of loudness over the levels of both. Formats may differ, but this meter has every band of the
  /// other, as one with the same or a higher sample rate does; those that the other does not have are averaged over this meter's
  /// time. The current levels and the other meter stay.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` for a meter with other weightings, loudness or kind of bands,
  ///   another calibration offset, or higher bands; with ``AudioError/Code/wrongState`` for this meter itself and while the other one
  ///   measures, whose call may throw the same: add meters that have finished.
  public func add(_ other: SoundLevelMeter) async throws(AudioError) {
    let faults = await (droppedFrames: other.droppedFrames, overruns: other.overruns)
    try AudioError.rethrowing { () throws(NativeError) in try meter.add(other.meter) }
    droppedFrames += faults.droppedFrames
    overruns += faults.overruns
  }

  /// Begins a new measurement. The filters keep their state: a continuous sound has no onset.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/native``.
  public func restart() throws(AudioError) {
    try AudioError.rethrowing { () throws(NativeError) in try meter.restart() }
  }

  /// Opens an input and returns a reading after each `interval` of its sound, and at its end if there is sound since the last
  /// reading. A cancelled task gets that last one, and then nil.
  ///
  /// - Parameters:
  ///   - input: sound of this meter's format; another format is an error.
  ///   - interval: of sound, 1 ms or more.
  /// - Throws: what the input throws when it cannot be opened.
  public nonisolated func readings<Input: AudioInput>(
    of input: Input, every interval: Duration = .milliseconds(125)
  ) async throws -> SoundLevelReadings<Input.Buffers> {
    let frames = format.frames(in: max(interval, .milliseconds(1)))
    return SoundLevelReadings(meter: self, buffers: try await input.buffers(), framesBetween: frames)
  }
}

/// The readings of a ``SoundLevelMeter`` that measures an input.
public struct SoundLevelReadings<Buffers: AsyncSequence>: AsyncSequence where Buffers.Element == PCMBuffer {
  /// A reading.
  public typealias Element = SoundLevelReading
  /// The input's error, or ``AudioError``.
  public typealias Failure = any Error

  let meter: SoundLevelMeter
  let buffers: Buffers
  let framesBetween: Int

  /// Makes an iterator, which reads the input as its only consumer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(meter: meter, buffers: buffers.makeAsyncIterator(), framesBetween: framesBetween)
  }

  /// An iterator that measures the input and returns the readings.
  public struct Iterator: AsyncIteratorProtocol {
    private let meter: SoundLevelMeter
    private var buffers: Buffers.AsyncIterator
    private let framesBetween: Int
    /// A buffer that reaches beyond a reading, and its next frame to measure.
    private var buffer: PCMBuffer?
    private var offset = 0
    private var untilReading: Int
    private var isOver = false

    init(meter: SoundLevelMeter, buffers: Buffers.AsyncIterator, framesBetween: Int) {
      self.meter = meter
      self.buffers = buffers
      self.framesBetween = framesBetween
      untilReading = framesBetween
    }

    /// Returns the next reading, nil after the one at the end.
    public mutating func next() async throws -> SoundLevelReading? {
      try await next(isolation: #isolation)
    }

    /// Returns the next reading, nil after the one at the end; waits in the isolation of `actor`.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> SoundLevelReading? {
      if isOver { return nil }
      do {
        return try await read(isolation: actor)
      } catch {
        isOver = true
        throw error
      }
    }

    private mutating func read(isolation actor: isolated (any Actor)?) async throws -> SoundLevelReading? {
      while true {
        if buffer == nil {
          guard let fresh = try await buffers.next(isolation: actor) else {
            isOver = true
            // A measurement without new sound has no new reading.
            return untilReading == framesBetween ? nil : try await meter.reading
          }
          (buffer, offset) = (fresh, 0)
        }
        guard let current = buffer else { continue }
        let count = Swift.min(current.frameCount - offset, untilReading)
        try await meter.process(current.frames(offset..<offset + count))
        offset += count
        if offset == current.frameCount { buffer = nil }
        untilReading -= count
        if untilReading == 0 {
          untilReading = framesBetween
          return try await meter.reading
        }
      }
    }
  }
}
