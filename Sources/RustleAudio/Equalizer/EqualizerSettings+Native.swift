internal import RustleCore

extension EqualizerBand {
  var native: NativeEqualizerBand {
    let kind: NativeBandKind =
      switch kind {
      case .peaking: .peaking
      case .lowShelf: .lowShelf
      case .highShelf: .highShelf
      case .lowPass: .lowPass
      case .highPass: .highPass
      }
    return NativeEqualizerBand(frequency: frequency, gain: gain, q: q, kind: kind)
  }
}

extension EqualizerSettings {
  var native: NativeEqualizerSettings {
    NativeEqualizerSettings(left: left.map(\.native), right: right.map(\.native), preamp: preamp)
  }

  /// Returns the curves of both channels, the preamplification included.
  ///
  /// - Parameters:
  ///   - frequencies: in Hz.
  ///   - sampleRate: in Hz; bands must be below half of it.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public func response(at frequencies: [Double], sampleRate: Double) throws(AudioError) -> EqualizerResponse {
    try check(sampleRate: sampleRate)
    do {
      let (left, right) = try native.response(at: frequencies, sampleRate: sampleRate)
      return EqualizerResponse(frequencies: frequencies, left: left, right: right)
    } catch {
      throw AudioError(error)
    }
  }

  /// Returns the preamplification in dB that keeps a full-scale sine of any frequency below full scale: the opposite of the
  /// highest point of either channel's bands, at least -96, and 0 when nothing is raised. It does not depend on ``preamp``.
  ///
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public func automaticPreamp(sampleRate: Double) throws(AudioError) -> Double {
    try check(sampleRate: sampleRate)
    do {
      // Not -0, which prints as such.
      return try NativeCalls.equalizerPreamp(settings: native, sampleRate: sampleRate) + 0
    } catch {
      throw AudioError(error)
    }
  }

  /// Returns the bands with gains such that each channel's combined curve has the present gains at their frequencies: the overlap
  /// of neighbours is compensated.
  ///
  /// - Returns: the settings, and the greatest remaining distance in dB: near 0 unless the bands cannot reach the curve; the
  ///   gains then approximate it.
  /// - Throws: ``AudioError`` with ``AudioError/Code/validation``.
  public func solved(sampleRate: Double) throws(AudioError) -> (settings: Self, distance: Double) {
    try check(sampleRate: sampleRate)
    var solved = self
    do {
      let (left, ofLeft) = try native.left.gains(for: self.left.map(\.gain), sampleRate: sampleRate)
      let (right, ofRight) = try native.right.gains(for: self.right.map(\.gain), sampleRate: sampleRate)
      for index in left.indices { solved.left[index].gain = left[index] }
      for index in right.indices { solved.right[index].gain = right[index] }
      return (solved, max(ofLeft, ofRight))
    } catch {
      throw AudioError(error)
    }
  }
}
