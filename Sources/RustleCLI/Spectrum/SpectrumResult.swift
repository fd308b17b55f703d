import RustleAudio
import RustleAudioFiles

/// What the spectrum command found, to be written in one of its forms.
struct SpectrumResult {
  let path: String
  let format: AudioFileFormat
  /// The channel that was analysed, counted from 1; nil: the mean of all.
  let channel: Int?
  /// Frames of the file that were read.
  let framesRead: Int
  let overlap: Double
  let spectrum: Spectrum
  let peaks: [SpectralPeak]

  /// What the user calls the window.
  var windowName: String { WindowChoice(spectrum.window).rawValue }
  /// Seconds of sound that were read.
  var seconds: Double { Double(framesRead) / format.sampleRate }
  /// The path as texts show it.
  var name: String { path == AudioFileReader.standardInputPath ? "standard input" : path }
}
