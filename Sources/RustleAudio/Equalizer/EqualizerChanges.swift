/// A change of an equalizer: what is nil stays.
struct EqualizerChange: Equatable {
  var settings: EqualizerSettings?
  var isBypassed: Bool?
}

/// The changes that a view asks for, on their way to an equalizer: one is under way at a time, and those that come meanwhile
/// become one, of which the newest settings count.
struct EqualizerChanges {
  private var waiting: EqualizerChange?
  private var isUnderWay = false
  /// Why the newest change is not on its way: its settings are out of range.
  private(set) var refusal: AudioError?

  /// Takes settings; those that are out of range leave what waits as it is.
  ///
  /// - Parameter sampleRate: of the equalizer, in Hz.
  /// - Returns: whether the caller is to begin: to make each change that ``next()`` gives, until there is none.
  mutating func set(_ settings: EqualizerSettings, sampleRate: Double) -> Bool {
    do throws(AudioError) {
      try settings.check(sampleRate: sampleRate)
      return add(EqualizerChange(settings: settings), refusal: nil)
    } catch {
      return add(EqualizerChange(), refusal: error)
    }
  }

  /// Takes the wish to let the sound through as it is, or to end that; returns as ``set(_:sampleRate:)`` does.
  mutating func setBypassed(_ isBypassed: Bool) -> Bool { add(EqualizerChange(isBypassed: isBypassed), refusal: nil) }

  /// The change to be made next; nil: none, and whoever made them is done.
  mutating func next() -> EqualizerChange? {
    isUnderWay = waiting != nil
    return waiting.take()
  }

  /// Whether what is in force after a change is what was asked for last, as far as it was not refused.
  var isSettled: Bool { waiting == nil }

  private mutating func add(_ change: EqualizerChange, refusal: AudioError?) -> Bool {
    self.refusal = refusal
    waiting = EqualizerChange(
      settings: change.settings ?? waiting?.settings, isBypassed: change.isBypassed ?? waiting?.isBypassed)
    defer { isUnderWay = true }
    return !isUnderWay
  }
}
