extension NativeSTFTStream {
  /// Creates a stream at the beginning of a signal.
  package convenience init(_ stft: NativeSTFT) throws(NativeError) {
    defer { extendLifetime(stft) }
    try self.init(NativeSTFTStreamConfiguration(stft: stft.handle.raw))
  }
}
