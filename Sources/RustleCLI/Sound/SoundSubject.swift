import RustleAudio
import RustleAudioFiles

/// The description of the analysed sound, for headings.
struct SoundSubject: Equatable, Sendable {
  /// The input's name.
  let name: String
  /// The rate and the channels.
  let format: AudioFormat
  /// A file's encoding: `WAV, 32 bit float`; nil for other inputs.
  let encoding: String?
  /// The analysed channel, counted from 1; nil for all.
  let channel: Int?
  /// The combination of all channels: `mean`, `mix`.
  var mixture = "mean"
  /// More details of the analysis.
  var detail: String?

  /// The description in a line: `WAV, 32 bit float, 48 kHz, mean of 2 channels`.
  var line: String {
    let channels =
      switch (format.channels, channel) {
      case (1, _): "mono"
      case (let count, nil): "\(mixture) of \(count) channels"
      case (let count, let channel?): "channel \(channel) of \(count)"
      }
    return [encoding, Numbers.rate(format.sampleRate), channels, detail].compactMap(\.self).joined(separator: ", ")
  }

  /// The name without its folders.
  var title: String { name.split(separator: "/").last.map(String.init) ?? name }
}

extension SoundInput {
  /// The description of the sound, for headings.
  func subject(channel: Int?, mixture: String = "mean") -> SoundSubject {
    SoundSubject(
      name: name, format: format, encoding: file.map { "\($0.container), \($0.codec)" }, channel: channel,
      mixture: mixture)
  }
}
