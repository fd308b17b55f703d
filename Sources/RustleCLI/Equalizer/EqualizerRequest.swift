import Foundation
import RustleAudio

/// The requested settings of an equalizer, before the sample rate is known.
struct EqualizerRequest: Equatable, Sendable {
  /// The bands as given. With ``isSolved``, their gains are points of the combined response.
  var settings: EqualizerSettings
  /// The preamp in place of the settings' own.
  var preamp: EqualizerOptions.Preamp?
  /// Whether the overlap of neighbouring bands is compensated for.
  var isSolved = false
  /// The name of the preset; nil without one.
  var name: String?

  /// Appends bands.
  mutating func add(_ more: EqualizerSettings) {
    settings.left += more.left
    settings.right += more.right
  }

  /// The settings in force at a sample rate in Hz.
  ///
  /// - Parameter note: receives notes about them for the user.
  /// - Throws: `AudioError` for values out of range.
  func prepared(sampleRate: Double, note: (String) -> Void) throws -> EqualizerSettings {
    var result = settings.limited(toSampleRate: sampleRate)
    func effective(_ settings: EqualizerSettings) -> Int {
      (settings.left + settings.right).count { $0.gain != 0 || $0.isPass }
    }
    let missing = effective(settings) - effective(result)
    if missing > 0 {
      let rate = Numbers.plain(sampleRate / 2, digits: 12)
      let (bands, verb) = missing == 1 ? ("band", "is") : ("bands", "are")
      note("\(missing) \(bands) at or above half the sample rate, \(rate) Hz, \(verb) left out")
    }
    if isSolved {
      let (solved, distance) = try result.solved(sampleRate: sampleRate)
      result = solved
      // In dB; smaller distances are not worth a note.
      if distance > 0.1 {
        let miss = String(format: distance < 1 ? "%.2f" : "%.1f", distance)
        note("the bands cannot reach these gains: the response differs by up to \(miss) dB")
      }
    }
    switch preamp {
    case .decibels(let decibels): result.preamp = decibels
    case .automatic: result.preamp = try result.automaticPreamp(sampleRate: sampleRate)
    case nil: break
    }
    return result
  }
}

extension EqualizerBand {
  /// Whether it is a low-pass or high-pass filter, which has no gain.
  var isPass: Bool { kind == .lowPass || kind == .highPass }
}

/// The sliders of a live equalizer, and their keys.
struct EqualizerControls: Equatable, Sendable {
  /// The action of a key, beyond the sliders.
  enum Action: Equatable {
    case none, quit, apply, bypass, save
  }

  /// The sliders, before solving.
  private(set) var request: EqualizerRequest
  /// Whether there is a right channel.
  let isStereo: Bool
  /// The index of the selected band.
  private(set) var chosen = 0
  /// The selected channel.
  private(set) var channel = Equalizer.Channel.both
  private(set) var isBypassed: Bool
  private(set) var showsHelp = false

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

  /// The number of sliders side by side.
  var bandCount: Int { max(request.settings.left.count, isStereo ? request.settings.right.count : 0) }

  /// The bands at an index; nil where a channel has fewer.
  func bands(at index: Int) -> (left: EqualizerBand?, right: EqualizerBand?) {
    func band(_ bands: [EqualizerBand]) -> EqualizerBand? { bands.indices.contains(index) ? bands[index] : nil }
    return (band(request.settings.left), isStereo ? band(request.settings.right) : nil)
  }

  /// Applies a key to the sliders and returns the remaining action.
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
