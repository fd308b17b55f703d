public import Observation
internal import RustleCore

/// The state of an equalizer for a view: sliders that take hold at once, the curve, and the levels.
@MainActor
@Observable
public final class EqualizerViewModel {
  /// What the sliders show.
  public private(set) var settings: EqualizerSettings
  /// Whether the sound goes through as it is.
  public private(set) var isBypassed = false
  /// The curves that are in force.
  public private(set) var response: EqualizerResponse?
  /// The levels of the newest buffer that went through.
  public private(set) var levels: EqualizerLevels?
  /// Why the last change was refused; nil when it was not.
  public private(set) var error: AudioError?

  /// The equalizer that sound is sent through.
  @ObservationIgnored public let equalizer: Equalizer
  @ObservationIgnored private let runs = Runs()
  @ObservationIgnored private var changes = EqualizerChanges()
  /// The task that makes them.
  @ObservationIgnored private var changing: Task<Void, Never>?

  /// A model over an equalizer of its own.
  ///
  /// - Throws: ``AudioError`` as `Equalizer.init` does.
  public convenience init(format: AudioFormat, settings: EqualizerSettings = .flat) throws(AudioError) {
    let equalizer = try Equalizer(format: format, settings: settings, bandCapacity: EqualizerSettings.maximumBandCount)
    self.init(equalizer, settings: settings)
  }

  /// A model over an equalizer that `settings` are in force in.
  init(_ equalizer: Equalizer, settings: EqualizerSettings) {
    self.equalizer = equalizer
    self.settings = settings
    let run = runs.overtake()
    runs.perform(run) { [weak self] in
      for await response in await equalizer.responses() { self?.response = response }
    }
    runs.perform(run) { [weak self] in for await levels in equalizer.levels() { self?.levels = levels } }
  }

  /// Changes the settings. Shown at once; a refusal is shown in ``error``, and the settings that are in force come back. Of the
  /// changes that come while one is under way, the last is made.
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

  /// Lets the sound through as it is, or ends that.
  public func setBypassed(_ isBypassed: Bool) {
    self.isBypassed = isBypassed
    error = nil
    if changes.setBypassed(isBypassed) { begin() }
  }

  /// Returns when all changes so far are in force.
  public func settled() async { await changing?.value }

  private func begin() {
    // It keeps the model until the last change is made: what a view asked for before it went is in force.
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
