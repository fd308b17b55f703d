import Foundation
import RustleAudio

/// Reads presets of the equalizer from files.
enum PresetFile {
  /// The settings of a preset file: JSON when it begins with a brace, the text of filters otherwise.
  ///
  /// - Throws: `CommandFailure` with the status of bad data, whose text begins with the file's name.
  static func read(_ path: String) throws -> EqualizerSettings {
    let text = try TextFile.read(path, option: "--eq")
    do throws(AudioError) {
      let isJSON = text.first { !$0.isWhitespace && $0 != "\u{FEFF}" } == "{"
      return isJSON ? try EqualizerPreset(json: Data(text.utf8)).settings : try EqualizerText.parse(text)
    } catch {
      throw CommandFailure(.badData, "\(path): \(error.message)", advice: error.advice)
    }
  }
}
