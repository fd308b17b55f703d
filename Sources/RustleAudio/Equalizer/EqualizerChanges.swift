/// A change of an equalizer; nil: no change.
struct EqualizerChange: Equatable {
  var settings: EqualizerSettings?
  var isBypassed: Bool?
}

/// A view's changes on their way to an equalizer: one at a time, and changes that arrive meanwhile are merged into one with the
/// newest settings.
struct EqualizerChanges {
  private var waiting: EqualizerChange?
  private var isUnderWay = false
  /// The error of the newest change, whose settings are out of range.
  private(set) var refusal: AudioError?

  /// Adds settings; settings out of range leave the waiting change as it is.
  ///
  /// - Parameter sampleRate: of the equalizer, in Hz.
  /// - Returns: whether the caller must now make each change that ``next()`` returns, until there is none.
  mutating func set(_ settings: EqualizerSettings, sampleRate: Double) -> Bool {
    do throws(AudioError) {
      try settings.check(sampleRate: sampleRate)
      return add(EqualizerChange(settings: settings), refusal: nil)
    } catch {
      return add(EqualizerChange(), refusal: error)
    }
  }

  /// Adds a change of the bypass; returns as ``set(_:sampleRate:)`` does.
  mutating func setBypassed(_ isBypassed: Bool) -> Bool { add(EqualizerChange(isBypassed: isBypassed), refusal: nil) }

  /// Returns the next change; nil: none, and the caller is done.
  mutating func next() -> EqualizerChange? {
    isUnderWay = waiting != nil
    return waiting.take()
  }

  /// Whether the state after a change is the newest requested one, except for refused changes.
  var isSettled: Bool { waiting == nil }

  private mutating func add(_ change: EqualizerChange, refusal: AudioError?) -> Bool {
    self.refusal = refusal
    waiting = EqualizerChange(
      settings: change.settings ?? waiting?.settings, isBypassed: change.isBypassed ?? waiting?.isBypassed)
    defer { isUnderWay = true }
    return !isUnderWay
  }
}
