public import Observation
internal import RustleCore

/// The state of an equalizer for a view: sliders with immediate effect, the curve, and the levels.
@MainActor
@Observable
public final class EqualizerViewModel {
  /// The settings of the sliders.
  public private(set) var settings: EqualizerSettings
  /// Whether the sound passes unchanged.
  public private(set) var isBypassed = false
  /// The curves in force.
  public private(set) var response: EqualizerResponse?
  /// The levels of the newest processed buffer.
  public private(set) var levels: EqualizerLevels?
  /// The error of the last change if it was refused; nil: it was not.
  public private(set) var error: AudioError?

  /// The equalizer that processes the sound.
  @ObservationIgnored public let equalizer: Equalizer
  @ObservationIgnored private let runs = Runs()
  @ObservationIgnored private var changes = EqualizerChanges()
  /// The task that makes them.
  @ObservationIgnored private var changing: Task<Void, Never>?

  /// Creates a model of a new equalizer.
  ///
  /// - Throws: ``AudioError`` as `Equalizer.init` does.
  public convenience init(format: AudioFormat, settings: EqualizerSettings = .flat) throws(AudioError) {
    let equalizer = try Equalizer(format: format, settings: settings, bandCapacity: EqualizerSettings.maximumBandCount)
    self.init(equalizer, settings: settings)
  }

  /// Creates a model of an equalizer with `settings` in force.
  init(_ equalizer: Equalizer, settings: EqualizerSettings) {
    self.equalizer = equalizer
    self.settings = settings
    let run = runs.overtake()
    runs.perform(run) { [weak self] in
      for await response in await equalizer.responses() { self?.response = response }
    }
    runs.perform(run) { [weak self] in for await levels in equalizer.levels() { self?.levels = levels } }
  }

  /// Changes the settings: ``settings`` at once, the sound within a buffer or two. While one change reaches the equalizer, only
  /// the newest of further ones waits; those between are left out. A rejection is shown in ``error`` and restores the settings in
  /// force.
  public func set(_ settings: EqualizerSettings) {
    self.settings = settings
    error = nil
    if changes.set(settings, sampleRate: equalizer.format.sampleRate) { begin() }
  }

  /// Moves one slider; see `Equalizer.setGain`.
  public func setGain(_ gain: Double, ofBand band: Int, on channel: Equalizer.Channel = .both) {
    do throws(AudioError) {
      var settings = settings
      try settings.setGain(gain, ofBand: band, on: channel, channels: equalizer.format.channels)
      set(settings)
    } catch {
      self.error = error
    }
  }

  /// Passes the sound unchanged, or ends that.
  public func setBypassed(_ isBypassed: Bool) {
    self.isBypassed = isBypassed
    error = nil
    if changes.setBypassed(isBypassed) { begin() }
  }

  /// Returns when all changes so far are in force.
  public func settled() async { await changing?.value }

  private func begin() {
    // It keeps the model until the last change is made, so that a view's last change takes effect after the view has gone.
    changing = Task {
      while let change = changes.next() {
        let inForce = await equalizer.apply(change)
        guard changes.isSettled else { continue }
        (settings, isBypassed) = (inForce.settings, inForce.isBypassed)
        error = changes.refusal ?? inForce.refusal
      }
    }
  }
}
