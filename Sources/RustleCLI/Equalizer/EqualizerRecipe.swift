import RustleAudio

/// What was asked of an equalizer, before it is known at which rate the sound comes.
struct EqualizerRecipe: Equatable, Sendable {
  /// The bands as they were given. With ``isSolved`` their gains are what the curve is to go through.
  var settings: EqualizerSettings
  /// What replaces the preamp of the settings.
  var preamp: EqualizerOptions.Preamp?
  /// Whether what neighbours add to each other is taken off.
  var isSolved = false
  /// The name of the preset; nil when there was none.
  var name: String?

  /// The settings for a sample rate, and what has to be said about them.
  struct Prepared: Equatable {
    var settings: EqualizerSettings
    var notes: [String] = []
  }

  /// Adds bands behind those that are there.
  mutating func add(_ more: EqualizerSettings) {
    settings.left += more.left
    settings.right += more.right
  }

  /// The settings as they are in force at a sample rate in Hz.
  ///
  /// - Throws: `AudioError` for values out of range.
  func prepared(sampleRate: Double) throws -> Prepared {
    var result = Prepared(settings: settings.limited(toSampleRate: sampleRate))
    let missing = Self.effective(settings) - Self.effective(result.settings)
    if missing > 0 {
      let (bands, verb) = missing == 1 ? ("band", "is") : ("bands", "are")
      result.notes.append(
        "\(missing) \(bands) at or above half the sample rate, \(EqualizerNumbers.plain(sampleRate / 2)) Hz, \(verb) left out"
      )
    }
    if isSolved {
      let solved = try result.settings.solved(sampleRate: sampleRate)
      result.settings = solved.settings
      // A slider is set in steps of a tenth of this at least.
      if solved.distance > 0.1 {
        result.notes.append(
          "the curve is out of the bands' reach: it misses the gains by up to \(EqualizerNumbers.decibels(solved.distance)) dB"
        )
      }
    }
    switch preamp {
    case .decibels(let decibels): result.settings.preamp = decibels
    case .automatic: result.settings.preamp = try result.settings.automaticPreamp(sampleRate: sampleRate)
    case nil: break
    }
    return result
  }

  /// The number of bands that change the sound.
  private static func effective(_ settings: EqualizerSettings) -> Int {
    (settings.left + settings.right).count { $0.gain != 0 || $0.isPass }
  }
}
