import RustleAudio
import RustleAudioFiles

/// What is analysed, for headings.
struct SoundSubject: Equatable, Sendable {
  /// The input's name.
  let name: String
  /// The rate and the channels.
  let format: AudioFormat
  /// What a file says about itself: `WAV, 32 bit float`; nil for other inputs.
  let encoding: String?
  /// The channel that is analysed, counted from 1; nil: all.
  let channel: Int?
  /// How all channels become one: `mean`, `mix`.
  var mixture = "mean"
  /// What else there is to say.
  var detail: String?

  /// For example `WAV, 32 bit float, 48 kHz, mean of 2 channels`.
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
  /// What it is, for headings.
  func subject(channel: Int?, mixture: String = "mean") -> SoundSubject {
    SoundSubject(
      name: name, format: format, encoding: file.map { "\($0.container), \($0.codec)" }, channel: channel,
      mixture: mixture)
  }
}
