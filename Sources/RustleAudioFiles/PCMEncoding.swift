/// The encoding of raw samples, named as in FFmpeg and ALSA.
public enum PCMEncoding: String, Sendable, Hashable, CaseIterable {
  /// Signed integers of 8 bits.
  case s8
  /// Unsigned integers of 8 bits; 128 is silence.
  case u8
  /// Signed integers of 16 bits, lowest byte first.
  case s16le
  /// Signed integers of 16 bits, highest byte first.
  case s16be
  /// Signed integers of 24 bits in three bytes, lowest byte first.
  case s24le
  /// Signed integers of 24 bits in three bytes, highest byte first.
  case s24be
  /// Signed integers of 32 bits, lowest byte first.
  case s32le
  /// Signed integers of 32 bits, highest byte first.
  case s32be
  /// IEEE 754 numbers of 32 bits, lowest byte first.
  case f32le
  /// IEEE 754 numbers of 32 bits, highest byte first.
  case f32be
  /// IEEE 754 numbers of 64 bits, lowest byte first.
  case f64le
  /// IEEE 754 numbers of 64 bits, highest byte first.
  case f64be

  /// The bytes of a sample, 1 to 8.
  public var bytes: Int {
    switch self {
    case .s8, .u8: 1
    case .s16le, .s16be: 2
    case .s24le, .s24be: 3
    case .s32le, .s32be, .f32le, .f32be: 4
    case .f64le, .f64be: 8
    }
  }

  /// Whether the highest byte comes first; of one byte, no.
  var isBigEndian: Bool {
    switch self {
    case .s16be, .s24be, .s32be, .f32be, .f64be: true
    case .s8, .u8, .s16le, .s24le, .s32le, .f32le, .f64le: false
    }
  }
}
