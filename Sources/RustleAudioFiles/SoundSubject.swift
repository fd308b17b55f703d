internal import Foundation
package import RustleAudio

/// The description of an analysed sound, for headings.
package struct SoundSubject: Equatable, Sendable {
  package let name: String
  package let format: AudioFormat
  /// A file's encoding: `WAV, 32 bit float`; nil for other inputs.
  package let encoding: String?
  /// The analysed channel, counted from 1; nil for all.
  package let channel: Int?
  /// The combination of all channels: `mean`, `mix`.
  package let mixture: String
  /// What follows in the line.
  package var detail: String?

  package init(
    name: String, format: AudioFormat, encoding: String?, channel: Int?, mixture: String = "mean", detail: String? = nil
  ) {
    (self.name, self.format, self.encoding) = (name, format, encoding)
    (self.channel, self.mixture, self.detail) = (channel, mixture, detail)
  }

  /// The description in a line: `WAV, 32 bit float, 48 kHz, mean of 2 channels`.
  package var line: String {
    let channels =
      switch (format.channels, channel) {
      case (1, _): "mono"
      case (let count, nil): "\(mixture) of \(count) channels"
      case (let count, let channel?): "channel \(channel) of \(count)"
      }
    let rate = String(format: "%.6g kHz", format.sampleRate / 1_000)
    return [encoding, rate, channels, detail].compactMap(\.self).joined(separator: ", ")
  }

  /// The name without folders.
  package var title: String { name.split(separator: "/").last.map(String.init) ?? name }
}

extension OpenedInput {
  /// The description of the sound, of which one channel, counted from 1, or a mixture of all is analysed.
  package func subject(channel: Int?, mixture: String = "mean") -> SoundSubject {
    SoundSubject(
      name: name, format: format, encoding: file.map { "\($0.container), \($0.codec)" }, channel: channel,
      mixture: mixture)
  }
}
