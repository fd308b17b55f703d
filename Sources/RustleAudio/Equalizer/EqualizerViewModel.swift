public import Observation

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
  @ObservationIgnored private var watches: [Task<Void, Never>] = []
  /// The last change of all: each waits for the one before it, so that they arrive in their order.
  @ObservationIgnored private var changes: Task<Void, Never>?
  /// The number of changes so far: what one leaves in force is shown unless another one came meanwhile.
  @ObservationIgnored private var changeCount = 0

  /// A model over an equalizer of its own.
  ///
  /// - Throws: ``AudioError`` as `Equalizer.init` does.
  public init(format: AudioFormat, settings: EqualizerSettings = .flat) throws(AudioError) {
    let equalizer = try Equalizer(format: format, settings: settings, bandCapacity: EqualizerSettings.mostBands)
    self.equalizer = equalizer
    self.settings = settings
    watches = [
      Task { [weak self] in for await response in await equalizer.responses() { self?.response = response } },
      Task { [weak self] in for await levels in equalizer.levels() { self?.levels = levels } },
    ]
  }

  deinit { for watch in watches { watch.cancel() } }

  /// Changes the settings. Shown at once; a refusal is shown in ``error``, and the settings that are in force come back.
  public func set(_ settings: EqualizerSettings) {
    self.settings = settings
    error = nil
    change { try await $0.set(settings) }
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
    change { try await $0.setBypassed(isBypassed) }
  }

  /// Returns when all changes so far are in force.
  public func settled() async { await changes?.value }

  private func change(_ change: @escaping @Sendable (Equalizer) async throws -> Void) {
    let before = changes
    changeCount += 1
    let mine = changeCount
    changes = Task { [weak self, equalizer] in
      await before?.value
      var refusal: AudioError?
      do {
        try await change(equalizer)
      } catch {
        refusal = error as? AudioError
      }
      let (settings, isBypassed) = (await equalizer.settings, await equalizer.isBypassed)
      guard let self, mine == self.changeCount else { return }
      (self.error, self.settings, self.isBypassed) = (refusal, settings, isBypassed)
    }
  }
}
