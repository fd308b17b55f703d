internal import ArgumentParser
import Foundation
import RustleAudio

struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List the sound devices that can be captured from or played to.",
    discussion: """
      Devices are ALSA's, which reaches hardware, PulseAudio and PipeWire alike; their names are what --device takes. The \
      device demo is built in and always there: it swells as a source, and takes sound at its rate as a sink.

      That a name is listed means that the system's configuration has it, not that the hardware is there.

      EXAMPLES:
        rustle devices
        rustle devices --json | grep '"captures":true'
        rustle meter --device default

      NDJSON FIELDS:
        v            1, the version of these fields
        name         what --device takes
        captures     whether it can be captured from
        plays        whether it can be played to
        description  in words
      """)

  @OptionGroup var output: OutputOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    let listed = DeviceList.system()
    let profile = TerminalProfile.standardOutput(isASCIIAskedFor: output.ascii)
    if let note = listed.note, !log.quiet { try? LineWriter.standardError.write("rustle: \(note)\n") }
    try LineWriter.standardOutput.write(listed.text(output.effectiveFormat, profile: profile))
  }
}
