internal import CSndfile
import Foundation

/// Encodes samples through libsndfile into bytes that a sink writes.
///
/// The unsafe expressions rely on two invariants: `handle` came from a successful open and is closed once, after which
/// `isClosed` keeps every method from it; and the sink that libsndfile knows by its address is held by this object, which
/// closes the handle before it lets go of the sink.
@safe final class SoundFileEncoder {
  private let handle: OpaquePointer
  private let sink: EncodedBytes
  private let channels: Int
  private var isClosed = false

  /// Encodes integers as FLAC.
  ///
  /// - Parameters:
  ///   - bits: 16 or 24.
  ///   - level: FLAC's compression level, 0 to 8.
  convenience init(
    flacOf bits: Int, sampleRate: Int, channels: Int, level: Int, to sink: EncodedBytes
  ) throws(AudioFileError) {
    let codec = bits == 16 ? SF_FORMAT_PCM_16 : SF_FORMAT_PCM_24
    try self.init(SF_FORMAT_FLAC | codec, sampleRate: sampleRate, channels: channels, to: sink)
    set(SFC_SET_COMPRESSION_LEVEL, Double(level) / 8)
    // Without this the header is written with the first samples, and a file that is killed before has none.
    _ = unsafe sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    if unsafe sf_error(handle) != SF_ERR_NO_ERROR || sink.length == 0 {
      throw unsafe Self.refused(sink, String(cString: sf_strerror(handle)))
    }
  }

  /// Encodes floats with a lossy codec, whose headers are written with the first samples.
  ///
  /// - Parameters:
  ///   - container: Ogg, Opus or MP3.
  ///   - quality: see `AudioFileWriter.Options.quality`.
  convenience init(
    of container: AudioFileWriter.Container, quality: Double, sampleRate: Int, channels: Int, to sink: EncodedBytes
  ) throws(AudioFileError) {
    let quality = min(max(0, quality), 1)
    switch container {
    case .opus:
      try self.init(SF_FORMAT_OGG | SF_FORMAT_OPUS, sampleRate: sampleRate, channels: channels, to: sink)
      // The library's scale goes from 6,000 to 256,000 bits per second for each channel.
      let bits = container.bitRate(quality: quality, channels: 1, sampleRate: sampleRate)
      set(SFC_SET_VBR_ENCODING_QUALITY, Double(max(0, bits - 6_000)) / 250_000)
      set(SFC_SET_OGG_PAGE_LATENCY_MS, 200)
    case .mp3:
      try self.init(SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, sampleRate: sampleRate, channels: channels, to: sink)
      // Of a constant rate the length is known from that of the file, which lacks its last header when the process is killed.
      var mode = Int32(SF_BITRATE_MODE_CONSTANT)
      _ = unsafe sf_command(handle, Int32(SFC_SET_BITRATE_MODE), &mode, Int32(MemoryLayout<Int32>.size))
      set(SFC_SET_COMPRESSION_LEVEL, 1 - quality)
    case .wav, .flac, .ogg, .m4a:
      try self.init(SF_FORMAT_OGG | SF_FORMAT_VORBIS, sampleRate: sampleRate, channels: channels, to: sink)
      set(SFC_SET_VBR_ENCODING_QUALITY, quality)
    }
  }

  private func set(_ command: Int, _ value: Double) {
    var value = value
    _ = unsafe sf_command(handle, Int32(command), &value, Int32(MemoryLayout<Double>.size))
  }

  private init(
    _ format: Int, sampleRate: Int, channels: Int, to sink: EncodedBytes
  ) throws(AudioFileError) {
    var info = SF_INFO(
      frames: 0, samplerate: Int32(sampleRate), channels: Int32(channels), format: Int32(format), sections: 0,
      seekable: 0)
    var calls = unsafe SF_VIRTUAL_IO(
      get_filelen: { unsafe EncodedBytes.at($0)?.length ?? 0 },
      seek: { unsafe EncodedBytes.at($2)?.seek(to: $0, from: $1) ?? -1 },
      // A file that is only written is not read back.
      read: { _, _, _ in 0 },
      write: { bytes, count, sink in
        guard let bytes = unsafe bytes, let sink = unsafe EncodedBytes.at(sink) else { return 0 }
        return unsafe sink.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      },
      tell: { unsafe EncodedBytes.at($0)?.position ?? 0 })
    opening.lock()
    defer { opening.unlock() }
    let opened = unsafe sf_open_virtual(
      &calls, Int32(SFM_WRITE), &info, Unmanaged.passUnretained(sink).toOpaque())
    guard let opened = unsafe opened else {
      throw unsafe Self.refused(sink, String(cString: sf_strerror(nil)))
    }
    unsafe handle = opened
    self.sink = sink
    self.channels = channels
  }

  deinit {
    if !isClosed { _ = unsafe sf_close(handle) }
  }

  /// Encodes whole frames of interleaved samples whose bits are the upper ones of 32.
  func write(_ samples: [Int32]) throws(AudioFileError) {
    guard !isClosed else { return }
    let frames = samples.count / channels
    let written = unsafe samples.withUnsafeBufferPointer { samples in
      unsafe samples.baseAddress.map { unsafe Int(sf_writef_int(handle, $0, Int64(frames))) } ?? 0
    }
    try check(written, of: frames)
  }

  /// Encodes whole frames of interleaved samples of ±1.
  func write(_ samples: ArraySlice<Float>) throws(AudioFileError) {
    guard !isClosed else { return }
    let frames = samples.count / channels
    let written = unsafe samples.withUnsafeBufferPointer { samples in
      unsafe samples.baseAddress.map { unsafe Int(sf_writef_float(handle, $0, Int64(frames))) } ?? 0
    }
    try check(written, of: frames)
  }

  private func check(_ written: Int, of frames: Int) throws(AudioFileError) {
    if let failure = sink.failure { throw failure }
    guard written == frames else {
      throw unsafe AudioFileError(
        .writeFailed, path: sink.path,
        reason: "encoding failed: \(Self.sentence(String(cString: sf_strerror(handle))))",
        advice: "Check the disk.")
    }
  }

  /// Encodes what is held back and writes the final header. The second call does nothing.
  func close() throws(AudioFileError) {
    guard !isClosed else { return }
    isClosed = true
    let number = unsafe sf_close(handle)
    if let failure = sink.failure { throw failure }
    guard number == 0 else {
      throw AudioFileError(
        .writeFailed, path: sink.path, reason: "the file could not be completed (\(number))", advice: "Check the disk.")
    }
  }

  private static func refused(_ sink: EncodedBytes, _ text: String) -> AudioFileError {
    sink.failure
      ?? AudioFileError(
        .unsupported, path: sink.path, reason: "the encoder refuses the format: \(sentence(text))",
        advice: "Write a WAV file.")
  }

  private static func sentence(_ text: String) -> String {
    text.trimmingCharacters(in: CharacterSet(charactersIn: ". \n"))
  }
}

extension EncodedBytes {
  /// The sink behind the address that libsndfile was given.
  fileprivate static func at(_ address: UnsafeMutableRawPointer?) -> EncodedBytes? {
    unsafe address.map { unsafe Unmanaged<EncodedBytes>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Takes a copy of bytes at the position; returns the number taken, all or none.
  fileprivate func write(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    if latest.count != bytes.count { latest.count = bytes.count }
    unsafe latest.withUnsafeMutableBytes { unsafe $0.copyMemory(from: bytes) }
    return write(latest)
  }
}
