public import RustleCore

/// A capture of sound from a device, for as many consumers as the device allows.
///
/// ```swift
/// let capture = try AudioCapture(DeviceConfiguration(format: AudioFormat(sampleRate: 48_000, channels: 1)))
/// for try await buffer in try await capture.buffers() {
///   try await meter.process(buffer)
/// }
/// ```
///
/// A thread of the native side reads the device, without a lock and without allocating. For a consumer that is too slow frames
/// are dropped; the next buffer reports their number (``PCMBuffer/droppedFrames``) and the device's overruns
/// (``PCMBuffer/overruns``).
///
/// A call that opens or closes a device waits for the driver or the sound server.
///
/// A stream ends, and the device is closed, when its consumer leaves the loop, when the consuming task is cancelled, when the
/// stream or the capture is dropped, by `cancel()` and by `shutDown()`.
public actor AudioCapture: AudioInput, NativeStreamEngine {
  /// The device and the format.
  public nonisolated let configuration: DeviceConfiguration

  private let capture: NativeCapture
  /// The streams that it has started, counted in blocks.
  package let streams = EngineStreams()

  /// Creates a capture; each stream opens the device.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation`` or ``AudioError/Code/native``.
  public init(_ configuration: DeviceConfiguration) throws(AudioError) {
    try self.init(configuration, runtime: nil)
  }

  /// Creates a capture on the caller's runtime.
  package init(_ configuration: DeviceConfiguration, runtime: NativeRuntime?) throws(AudioError) {
    self.configuration = configuration
    let native = try configuration.native()
    capture = try AudioError.rethrowing { () throws(NativeError) in try NativeCapture(native, runtime: runtime) }
  }

  /// Opens the device and returns its sound in buffers of about `duration`, contiguous except for dropped frames.
  ///
  /// - Parameter duration: the most sound in a buffer; at least a block of the native side. A buffer is shorter when less sound
  ///   waits.
  /// - Throws: ``AudioError`` of the device; nothing was started then.
  public func buffers(of duration: Duration) throws(AudioError) -> CaptureBuffers {
    let stream = try blocks(buffering: .batched(capacity: configuration.blocksOfTwoSeconds))
    return CaptureBuffers(stream: stream, maximumFrameCount: configuration.format.frames(in: duration))
  }

  /// Opens the device and returns its sound in buffers of at most 100 ms.
  ///
  /// - Throws: ``AudioError`` of the device; nothing was started then.
  public func buffers() async throws(AudioError) -> CaptureBuffers {
    try buffers(of: .milliseconds(100))
  }

  /// Opens the device and returns its sound block by block, with the caller's buffering policy. A block has at most 256 samples;
  /// a buffer holds at most 65,536 of them. Dropped blocks are reported as ``StreamElement/gap(_:)`` and leave a gap in the
  /// positions; ``PCMBuffer/droppedFrames`` counts the frames dropped before.
  ///
  /// - Throws: ``AudioError`` of the device, or with ``AudioError/Code/validation`` for a capacity; nothing was started then.
  public func blocks(buffering: StreamBuffering = .batched(capacity: 1_024)) throws(AudioError) -> EngineStream<
    PCMBuffer
  > {
    let format = configuration.format
    return try blocks(
      buffering: buffering,
      reader: ElementReader { block in
        PCMBuffer(
          format: format, wholeFrames: block.heard, position: Int64(clamping: block.position),
          droppedFrames: Int64(clamping: block.lost), overruns: block.overruns, number: block.sequence)
      }, sequenceNumber: \.number)
  }

  /// As ``blocks(buffering:)``, for values of the caller's type.
  package func blocks<Value: Sendable>(
    buffering: StreamBuffering, reader: ElementReader<NativeSoundBlock, Value>,
    sequenceNumber: @escaping @Sendable (Value) -> UInt64
  ) throws(AudioError) -> EngineStream<Value> {
    try started(orThrow: AudioError.self) { () throws(NativeError) in
      try capture.start(buffering: buffering, reader: reader, sequenceNumber: sequenceNumber)
    }
  }

  /// Makes the native side refuse new streams and end the running ones, without waiting for their end.
  package func refuseStreams() { capture.shutDown() }
}
