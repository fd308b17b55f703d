import RustleAudio

/// The sliders of a live equalizer, and their keys.
struct EqualizerControls: Equatable, Sendable {
  enum Action: Equatable {
    case none, quit, apply, bypass, save
  }

  /// The sliders, before solving.
  private(set) var request: EqualizerRequest
  let isStereo: Bool
  private(set) var chosen = 0
  private(set) var channel = Equalizer.Channel.both
  private(set) var isBypassed: Bool

  /// The range of a slider in dB, that of the fourteen bands. A preset may exceed it.
  static let range = -12.0...12.0
  /// The change of a slider by one key, in dB.
  private static let step = 1.0

  /// - Parameter request: without bands, the fourteen graphic bands are added.
  init(_ request: EqualizerRequest, isStereo: Bool, isBypassed: Bool = false) throws {
    self.request = request
    self.isStereo = isStereo
    self.isBypassed = isBypassed
    if request.settings.left.isEmpty && request.settings.right.isEmpty {
      self.request.add(try .graphic(gains: Array(repeating: 0, count: 2 * EqualizerSettings.centerFrequencies.count)))
    }
    if !isStereo { channel = .left }
  }

  var bandCount: Int { request.settings.bandCount(isStereo: isStereo) }
  func bands(at index: Int) -> (left: EqualizerBand?, right: EqualizerBand?) {
    request.settings.bands(at: index, isStereo: isStereo)
  }

  /// Applies a key to the sliders and returns the remaining action.
  mutating func press(_ key: Key) -> Action {
    switch key {
    case .quit: return .quit
    case .pause:
      isBypassed.toggle()
      return .bypass
    case .left: chosen = max(0, chosen - 1)
    case .right: chosen = min(max(0, bandCount - 1), chosen + 1)
    case .up, .down:
      let change = key == .up ? Self.step : -Self.step
      request.settings.moveGain(ofBand: chosen, by: change, within: Self.range, on: channel)
      return .apply
    case .letter("l"): channel = .left
    case .restart where isStereo: channel = .right
    case .letter("b") where isStereo: channel = .both
    case .letter("0"):
      request.settings.flatten()
      return .apply
    case .letter("s"): return .save
    case .letter, .restart, .help, .pageUp, .pageDown, .home, .end: break
    }
    return .none
  }
}
