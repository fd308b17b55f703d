internal import ArgumentParser
import Foundation
import RustleCore
import RustleFiles
import RustleLighting
import RustlePlot

struct DMXRecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record received DMX universes to a file.",
    usage: """
      rustle dmx record <file> [--protocol <protocol>] [--universes <list>]
              [--interface <name>] [--duration <seconds>] [--overwrite]
      """,
    discussion: """
      Each change is a line, as 'rustle dmx receive' writes it; 'rustle dmx play' sends the lines at their times. The first change \
      creates or replaces the file, which grows by whole lines: after a kill the earlier lines are there. Ctrl-C or SIGTERM ends it.

      EXAMPLES:
        rustle dmx record show.ndjson --universes 1-4 --interface eth0 --duration 60
        rustle dmx record show.ndjson --protocol artnet --universes 0-3 --overwrite

      NDJSON FIELDS:
      \(columns.fieldList())
      """)

  @Argument(help: "The file to write.", completion: .file())
  var file: String

  @OptionGroup var received: DMXReceiverOptions

  @Flag(help: "Replace an existing file. Without it an existing file is an error.")
  var overwrite = false

  @OptionGroup var output: RecordOptions
  @OptionGroup var log: LogOptions

  func run() async throws {
    log.bootstrap()
    try OutputPath.check(file, option: "<file>")
    let lines = try CommandFailure.writing(file) { () throws(LineFile.Failure) in
      try LineFile(file, mayReplace: overwrite)
    }
    let receiver = try DMXReceiver(try received.configuration(of: "rustle dmx record"))
    let recording = Shared(DMXRecording(path: file, lines: lines))
    let ending = try await finally {
      await receiver.cancel()
    } after: {
      let levels = try await receiver.levels(buffering: .received)
      // Not cancelled with the run: what was received is written.
      let writing = Task { try await recording.value.write(levels) { recording.value = $0 } }
      return try await RunEnding.of(view: LiveRecord?.none, isForced: false) { ending in
        await receiver.cancel()
        if ending == nil { _ = await writing.result } else { try await writing.value }
      } tasks: { tasks in
        tasks.addTask {
          try await writing.value
          return .streamEnded
        }
        tasks.addEnd(after: received.network.limit.seconds) { await receiver.cancel() }
      }
    }
    let table = Table(Self.columns, format: output.effectiveFormat, profile: output.profile, text: Self.text)
    if ending != .readerGone { try? LineWriter.standardOutput.write(table.line(recording.value)) }
    if ending.status != .ok { throw ExitCode(ending.status.rawValue) }
  }

  static let columns: [Column<DMXRecording>] = [
    Column("path", \.path),
    Column("changes", "changes in the file", \.changes),
    Column("universes", "universes with changes", \.universes.count),
    Column("dropped", "changes dropped because the disk was too slow", \.dropped),
    Column("duration_ms", "time from the start to the last change", \.duration),
  ]

  static func text(_ recording: DMXRecording) -> String {
    let path = CommandFailure.visible(recording.path)
    if recording.changes == 0 { return "no changes: nothing written to \(path)\n" }
    let dropped = recording.dropped > 0 ? ", \(recording.dropped) dropped" : ""
    return "wrote \(recording.changes) changes of \(recording.universes.count) universes to \(path)\(dropped)\n"
  }
}

/// A file of received levels.
struct DMXRecording: Sendable {
  let path: String
  private let start = Date.now
  fileprivate var lines: LineFile
  private(set) var changes = 0
  private(set) var dropped: UInt64 = 0
  private(set) var universes: Set<DMXUniverse> = []
  /// Milliseconds from the start to the last change.
  private(set) var duration = 0

  init(path: String, lines: LineFile) { (self.path, self.lines) = (path, lines) }

  /// Writes a stream to its end, and calls `report` after each batch.
  ///
  /// - Throws: `CommandFailure`.
  func write(_ levels: EngineStream<DMXUniverseLevels>, _ report: @Sendable (Self) -> Void) async throws {
    var recording = self
    let profile = TerminalProfile(environment: [:], isTerminal: false, size: (0, 0))
    let table = Table(DMXReceiveCommand.columns(since: start), format: .ndjson, profile: profile)
    for await batch in levels.batches() {
      var text = ByteText()
      for element in batch {
        switch element {
        case .gap(let count):
          text.append(table.format.gap(count, of: "", profile: profile))
          recording.dropped += count
        case .value(let changed):
          table.append(changed, to: &text)
          recording.changes += 1
          recording.universes.insert(changed.universe)
          recording.duration = changed.time.milliseconds(since: start)
        }
      }
      try CommandFailure.writing(path) { () throws(LineFile.Failure) in try recording.lines.append(Data(text.bytes)) }
      report(recording)
    }
    try CommandFailure.writing(path) { () throws(LineFile.Failure) in try recording.lines.close() }
    try levels.requireEnd()
  }
}

extension CommandFailure {
  /// Returns the outcome of `make`; describes the failure of a file of lines.
  static func writing<Outcome>(
    _ path: String, _ make: () throws(LineFile.Failure) -> Outcome
  ) throws(CommandFailure) -> Outcome {
    do throws(LineFile.Failure) { return try make() } catch {
      throw switch error {
      case .exists: Self(.usage, "\(path): the file exists", advice: "Choose another name, or use --overwrite.")
      case .notRegular: Self(.usage, "\(path): expected the path of a regular file, got a device, a pipe or a folder")
      case .unwritable(let reason): Self(.unavailable, "\(path): cannot be written: \(reason)")
      }
    }
  }
}
