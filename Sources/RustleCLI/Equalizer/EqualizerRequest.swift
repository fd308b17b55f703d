import Foundation
import RustleAudio

/// What is asked of an equalizer, before it is known at which rate the sound comes.
struct EqualizerRequest: Equatable, Sendable {
  /// The bands as they were given. With ``isSolved`` their gains are what the curve is to go through.
  var settings: EqualizerSettings
  /// What replaces the preamp of the settings.
  var preamp: EqualizerOptions.Preamp?
  /// Whether what neighbours add to each other is taken off.
  var isSolved = false
  /// The name of the preset; nil when there was none.
  var name: String?

  /// Adds bands behind those that are there.
  mutating func add(_ more: EqualizerSettings) {
    settings.left += more.left
    settings.right += more.right
  }

  /// The settings as they are in force at a sample rate in Hz, and what has to be said about them.
  ///
  /// - Throws: `AudioError` for values out of range.
  func prepared(sampleRate: Double) throws -> (settings: EqualizerSettings, notes: [String]) {
    var (result, notes) = (settings.limited(toSampleRate: sampleRate), [String]())
    let missing = Self.effective(settings) - Self.effective(result)
    if missing > 0 {
      let rate = Numbers.plain(sampleRate / 2, digits: 12)
      notes.append(
        "\(missing) \(missing == 1 ? "band" : "bands") at or above half the sample rate, \(rate) Hz, "
          + "\(missing == 1 ? "is" : "are") left out")
    }
    if isSolved {
      let (solved, distance) = try result.solved(sampleRate: sampleRate)
      result = solved
      // A slider is set in steps of a tenth of this at least.
      if distance > 0.1 {
        let miss = String(format: distance < 1 ? "%.2f" : "%.1f", distance)
        notes.append("the curve is out of the bands' reach: it misses the gains by up to \(miss) dB")
      }
    }
    switch preamp {
    case .decibels(let decibels): result.preamp = decibels
    case .automatic: result.preamp = try result.automaticPreamp(sampleRate: sampleRate)
    case nil: break
    }
    return (result, notes)
  }

  /// The number of bands that change the sound.
  private static func effective(_ settings: EqualizerSettings) -> Int {
    (settings.left + settings.right).count { $0.gain != 0 || $0.isPass }
  }
}

extension EqualizerBand {
  /// Whether it lets a part of the sound through, so that its gain means nothing.
  var isPass: Bool { kind == .lowPass || kind == .highPass }
}

/// The sliders of a live equalizer, and what the keys do to them.
struct EqualizerControls: Equatable, Sendable {
  /// What a key asks for, beyond the sliders themselves.
  enum Action: Equatable {
    case none, quit, apply, bypass, save
  }

  /// The sliders, before anything is solved.
  private(set) var request: EqualizerRequest
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

  /// - Parameter request: without any band it gets the fourteen graphic ones.
  init(_ request: EqualizerRequest, isStereo: Bool, isBypassed: Bool = false) throws {
    self.request = request
    self.isStereo = isStereo
    self.isBypassed = isBypassed
    if request.settings.left.isEmpty && request.settings.right.isEmpty {
      self.request.add(try .graphic(gains: Array(repeating: 0, count: 2 * EqualizerSettings.centerFrequencies.count)))
    }
    if !isStereo { channel = .left }
  }

  /// The number of sliders side by side.
  var bandCount: Int { max(request.settings.left.count, isStereo ? request.settings.right.count : 0) }

  /// The bands of one place, nil where a channel has no more.
  func bands(at index: Int) -> (left: EqualizerBand?, right: EqualizerBand?) {
    func band(_ bands: [EqualizerBand]) -> EqualizerBand? { bands.indices.contains(index) ? bands[index] : nil }
    return (band(request.settings.left), isStereo ? band(request.settings.right) : nil)
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
      for index in request.settings.left.indices { request.settings.left[index].gain = 0 }
      for index in request.settings.right.indices { request.settings.right[index].gain = 0 }
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
    if channel != .right { change(&request.settings.left) }
    if channel != .left { change(&request.settings.right) }
    return .apply
  }
}
