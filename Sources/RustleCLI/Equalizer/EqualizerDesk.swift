import RustleAudio

/// What a listener sets on a live equalizer: the bands' sliders, which of them is chosen, and what the keys do.
struct EqualizerDesk: Equatable, Sendable {
  /// What a key asks for, beyond the desk itself.
  enum Action: Equatable {
    case none, quit, apply, bypass, save
  }

  /// The sliders, before anything is solved.
  private(set) var recipe: EqualizerRecipe
  /// Whether there is a right channel.
  let isStereo: Bool
  /// The band that keys change, counted from 0.
  private(set) var chosen = 0
  /// The channel that keys change.
  private(set) var channel = Equalizer.Channel.both
  private(set) var isBypassed: Bool
  private(set) var showsHelp = false

  /// How far keys move a slider, in dB: the range of the fourteen bands. A preset may be beyond it.
  static let range = -12.0...12.0
  /// How far one key moves a slider, in dB.
  private static let step = 1.0

  /// - Parameter recipe: without any band it gets the fourteen graphic ones.
  init(recipe: EqualizerRecipe, isStereo: Bool, isBypassed: Bool = false) throws {
    self.recipe = recipe
    self.isStereo = isStereo
    self.isBypassed = isBypassed
    if recipe.settings.left.isEmpty && recipe.settings.right.isEmpty {
      self.recipe.add(try .graphic(gains: Array(repeating: 0, count: 2 * EqualizerSettings.centers.count)))
    }
    if !isStereo { channel = .left }
  }

  /// The number of sliders side by side.
  var bandCount: Int {
    isStereo ? max(recipe.settings.left.count, recipe.settings.right.count) : recipe.settings.left.count
  }

  /// The bands of one place, nil where a channel has no more.
  func bands(at index: Int) -> (left: EqualizerBand?, right: EqualizerBand?) {
    func band(_ bands: [EqualizerBand]) -> EqualizerBand? { bands.indices.contains(index) ? bands[index] : nil }
    return (band(recipe.settings.left), isStereo ? band(recipe.settings.right) : nil)
  }

  /// Does what a key asks for; what is left to do is returned.
  mutating func press(_ key: Key) -> Action {
    switch key {
    case .quit: return .quit
    case .help: showsHelp.toggle()
    case .pause:
      isBypassed.toggle()
      return .bypass
    case .left: chosen = max(0, chosen - 1)
    case .right: chosen = min(max(0, bandCount - 1), chosen + 1)
    case .up: return change { $0 = max($0, min(Self.range.upperBound, $0 + Self.step)) }
    case .down: return change { $0 = min($0, max(Self.range.lowerBound, $0 - Self.step)) }
    case .letter("l"): channel = .left
    case .restart where isStereo: channel = .right
    case .letter("b") where isStereo: channel = .both
    case .letter("0"):
      for index in recipe.settings.left.indices { recipe.settings.left[index].gain = 0 }
      for index in recipe.settings.right.indices { recipe.settings.right[index].gain = 0 }
      return .apply
    case .letter("s"): return .save
    case .letter, .restart, .pageUp, .pageDown, .home, .end: break
    }
    return .none
  }

  private mutating func change(_ move: (inout Double) -> Void) -> Action {
    func change(_ bands: inout [EqualizerBand]) {
      guard bands.indices.contains(chosen), !bands[chosen].isPass else { return }
      move(&bands[chosen].gain)
    }
    if channel != .right { change(&recipe.settings.left) }
    if channel != .left { change(&recipe.settings.right) }
    return .apply
  }
}

extension EqualizerBand {
  /// Whether it lets a part of the sound through, so that its gain means nothing.
  var isPass: Bool { kind == .lowPass || kind == .highPass }
}
