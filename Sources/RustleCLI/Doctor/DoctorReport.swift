import Foundation
import RustleAudio
import RustleAudioFiles
import RustlePlot

/// What the doctor looked at.
struct DoctorReport: Equatable {
  /// One thing and its state.
  struct Item: Equatable {
    let name: String
    let value: String
    /// Whether it is as it should be.
    var isGood = true
    /// What to do when it is not.
    var advice: String?
  }

  let items: [Item]

  var isGood: Bool { items.allSatisfy(\.isGood) }

  /// Looks at the program, its libraries and the terminal.
  static func make(profile: TerminalProfile, isTerminal: Bool) -> DoctorReport {
    var items = [Item(name: "rustle", value: Version.package)]
    items.append(
      Item(
        name: "native archive", value: Version.archive, isGood: Version.isArchiveExpected,
        advice: "the package was built against another archive: run scripts/build and build again"))
    items.append(fftPath)
    items.append(Item(name: "audio files", value: AudioLibrary.version))
    for format in AudioLibrary.Format.allCases {
      let isThere = AudioLibrary.supports(format)
      items.append(
        Item(
          name: "  \(format.rawValue)", value: isThere ? "yes" : "no", isGood: isThere,
          advice: "install a libsndfile with this codec (1.1 or newer for MP3)"))
    }
    items.append(Item(name: "plots", value: "cairo \(PlotLibrary.version)"))
    let terminal =
      isTerminal ? "\(profile.columns) x \(profile.rows)" : "none (output is a file or a pipe)"
    items.append(Item(name: "terminal", value: terminal))
    items.append(Item(name: "  colour", value: profile.usesColor ? "yes" : "no"))
    items.append(Item(name: "  characters", value: profile.usesUnicode ? "Unicode" : "ASCII"))
    return DoctorReport(items: items)
  }

  /// The code path of the transforms.
  private static var fftPath: Item {
    do throws(FFTError) {
      return Item(name: "FFT", value: try FFT.Path.preferred().rawValue)
    } catch {
      return Item(name: "FFT", value: error.got ?? error.message, isGood: false, advice: error.advice)
    }
  }

  /// For people; what is not as it should be is marked in words.
  func text(painter: Painter) -> String {
    let width = items.map(\.name.count).max() ?? 0
    return items.map { item in
      let name = item.name + String(repeating: " ", count: width - item.name.count)
      guard !item.isGood else { return "\(name)  \(item.value)\n" }
      let advice = item.advice.map { "\(String(repeating: " ", count: width + 2))\($0)\n" } ?? ""
      return "\(name)  \(painter("\(item.value)  WRONG", .red))\n\(advice)"
    }.joined()
  }

  /// One JSON object a line.
  func ndjson() -> String {
    items.map { item in
      var line = JSONLine()
      line.add("name", .string(item.name.trimmingCharacters(in: .whitespaces)))
      line.add("value", .string(item.value))
      line.add("ok", .bool(item.isGood))
      return line.text
    }.joined()
  }
}
