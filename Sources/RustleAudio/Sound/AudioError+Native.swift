package import RustleCore

extension AudioError: NativeCodedError {
  package init(_ error: NativeError) {
    self =
      switch error.status {
      case .deviceNotFound:
        Self(
          .deviceNotFound, error.message,
          advice: "Choose a device that AudioDevice.all(), or the command 'rustle devices', lists."
        )
      case .deviceBusy:
        Self(.deviceBusy, error.message, advice: "End the program that uses the device, and try again.")
      case .deviceUnsupported:
        Self(.deviceUnsupported, error.message, advice: "Choose what the device accepts, or the device default.")
      case .deviceFailed:
        Self(.deviceLost, error.message, advice: "Check that the device is plugged in, and try again.")
      case .noSoundLibrary:
        Self(.noSoundLibrary, error.message, advice: "Install the library, or use the device demo, or files.")
      case .shutDown:
        Self(.shutDown, error.message, advice: "Create a new one.")
      case .wrongState:
        Self(.wrongState, error.message, advice: "Use it from one task at a time.")
      case .invalidLength, .invalidValue, .invalidUTF8:
        Self(.validation, error.message, advice: "Pass a value within the range.")
      case .archiveMismatch, .recordSize:
        Self(.native, error.message, advice: "Run scripts/build and build the package again.")
      case .exhausted:
        Self(.native, error.message, advice: "Try again when the process uses less memory and fewer threads.")
      case .forked:
        Self(.native, error.message, advice: "Create a new one in this process: a fork does not have the threads.")
      case .poisoned, .panicked, .nullPointer, .staleHandle, .unsupported, .noSymbols, .duplicateSymbol,
        .malformedSymbol,
        .symbolTooLong, .tooManySymbols, .rateOutOfRange, .malformedSchema, .unknownFormat, .unreadableFile,
        .malformedAddress, .addressUnavailable, .wrongSource,
        .invalidUniverse, .unknownInterface, .networkFailed, .noDestination, .malformedFile, .unwritableFile,
        .noBluetooth,
        .unknown:
        // The arguments were checked before: this is a bug of the package.
        Self(.native, error.message, advice: "Create a new one, and report it with this text.")
      }
  }

  /// The error of a session that has ended; nil for a normal end.
  static func end(of outcome: SessionOutcome?, advice: String) -> Self? {
    switch outcome {
    case .failed(let reason): Self(.deviceLost, reason, advice: advice)
    case .panicked(let reason): Self(.native, reason, advice: "Create a new one, and report it with this text.")
    case .ended, .cancelled, nil: nil
    }
  }
}
