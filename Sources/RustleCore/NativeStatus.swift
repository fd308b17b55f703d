internal import CRustle

/// Why the native library refused a call: the numbers of `rustle.h`, and those that only this side can find.
///
/// scripts/lint compares the switch below with the header, so that a number cannot be added on one side alone.
package enum NativeStatus: Sendable, Hashable {
  case nullPointer
  case invalidLength
  case invalidValue
  case invalidUTF8
  case staleHandle
  case panicked
  case poisoned
  case shutDown
  case exhausted
  case wrongState
  case noSymbols
  case duplicateSymbol
  case malformedSymbol
  case symbolTooLong
  case tooManySymbols
  case rateOutOfRange
  case deviceNotFound
  case deviceBusy
  case deviceUnsupported
  case deviceFailed
  case noSoundLibrary
  case malformedSchema
  case unknownFormat
  case unreadableFile
  case malformedAddress
  case addressUnavailable
  case wrongSource
  /// A number that this version does not know.
  case unknown(Int32)
  /// The linked archive does not fit this package: another build, or another layout of a record.
  case archiveMismatch

  /// The case for a status other than `RUSTLE_OK`.
  init(_ status: Int32) {
    self =
      switch status {
      case RUSTLE_NULL_POINTER: .nullPointer
      case RUSTLE_INVALID_LENGTH: .invalidLength
      case RUSTLE_INVALID_VALUE: .invalidValue
      case RUSTLE_INVALID_UTF8: .invalidUTF8
      case RUSTLE_STALE_HANDLE: .staleHandle
      case RUSTLE_PANICKED: .panicked
      case RUSTLE_POISONED: .poisoned
      case RUSTLE_SHUT_DOWN: .shutDown
      case RUSTLE_EXHAUSTED: .exhausted
      case RUSTLE_WRONG_STATE: .wrongState
      case RUSTLE_NO_SYMBOLS: .noSymbols
      case RUSTLE_DUPLICATE_SYMBOL: .duplicateSymbol
      case RUSTLE_MALFORMED_SYMBOL: .malformedSymbol
      case RUSTLE_SYMBOL_TOO_LONG: .symbolTooLong
      case RUSTLE_TOO_MANY_SYMBOLS: .tooManySymbols
      case RUSTLE_RATE_OUT_OF_RANGE: .rateOutOfRange
      case RUSTLE_DEVICE_NOT_FOUND: .deviceNotFound
      case RUSTLE_DEVICE_BUSY: .deviceBusy
      case RUSTLE_DEVICE_UNSUPPORTED: .deviceUnsupported
      case RUSTLE_DEVICE_FAILED: .deviceFailed
      case RUSTLE_NO_SOUND_LIBRARY: .noSoundLibrary
      case RUSTLE_MALFORMED_SCHEMA: .malformedSchema
      case RUSTLE_UNKNOWN_FORMAT: .unknownFormat
      case RUSTLE_UNREADABLE_FILE: .unreadableFile
      case RUSTLE_MALFORMED_ADDRESS: .malformedAddress
      case RUSTLE_ADDRESS_UNAVAILABLE: .addressUnavailable
      case RUSTLE_WRONG_SOURCE: .wrongSource
      default: .unknown(status)
      }
  }
}
