internal import ArgumentParser
import Foundation
import RustleFiles
import RustlePlot

struct BatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Analyse many recordings.",
    usage: """
      rustle batch [<file> ...] --output <folder> [--analysis <list>]
              [--files-from <list>] [--jobs <count>] [--shard <n/count>]
      """,
    discussion: """
      Each file's result is <folder>/xx/<hash>.ndjson: for each analysis a line with its name and then the records of \
      that command with --json, of rustle meter the summary. The hash is SHA-256 over this build, the analyses, the bytes \
      of files that their options name, and those of the file. A result that is there is not computed again: a run that was ended goes on where it was, and several \
      machines may share a folder. In results the name of the file is the hash; the manifest has the paths.

      Malformed data, and options that do not fit a file, are a result too: its last line has the error with its code. \
      Files that are missing, changed while they were read, or exceeded a limit have none, and are tried again by the \
      next run, as is a file that ended its worker process three times (poison).

      EXAMPLES:
        rustle batch takes/*.flac --output results
        rustle batch takes/*.wav --output results --analysis "meter --time S,pitch"
        find /archive -name '*.flac' | rustle batch --files-from - --output results
        rustle batch --files-from list --output results --shard 3/16 --jobs 8

      The exit status is 1 if a file failed. One line per file is written to the manifest, which each run replaces.

      NDJSON FIELDS OF THE MANIFEST:
      \(BatchEntry.columns.fieldList())
      """)

  @Argument(help: "Sound files.", completion: .file())
  var files: [String] = []

  @Option(
    name: .customLong("files-from"), parsing: .next,
    "Read paths from this file too, one per line; - is standard input.",
    value: "list", completion: .file())
  var list: String?

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "Paths of --files-from end with a zero byte, as those of find -print0.")
  var isZeroEnded = false

  @Option(
    "Analyses, separated by commas: meter, pitch, voice, spectrum, each with the options of that command. (default: meter)",
    value: "list", parse: { try BatchPlan(parsing: $0) })
  var analysis = BatchPlan.default

  @Option(
    parsing: .next, help: ArgumentHelp("The folder of the results, which is created.", valueName: "folder"),
    completion: .directory)
  var output: String

  @Option(
    "Number of worker processes, 1 to 256. (default: one per processor)", value: "count",
    parse: Parse.integer("a number of processes", in: 1...256))
  var jobs: Int?

  @Option(
    help: ArgumentHelp(
      "Analyse one of several parts of the files, counted from 0; the part of a file depends on its path.",
      valueName: "n/count"), transform: { try Shard(parsing: $0) })
  var shard: Shard?

  @Option(
    name: .customLong("time-limit"), "Stop the analysis of a file after this many seconds.", value: "seconds",
    parse: Parse.number("seconds", in: 0.1...1e9))
  var timeLimit: Double?

  @Option(
    name: .customLong("memory-limit"),
    "Stop the analysis of a file that needs more than this resident memory in MiB. Linux only.", value: "mib",
    parse: Parse.integer("a number of MiB", in: 1...1_048_576))
  var memoryLimit: Int?

  @Option(
    parsing: .next, "The manifest; - is standard output. (default: <folder>/manifest.ndjson)", value: "path",
    completion: .file())
  var manifest: String?

  /// What the command starts for each job, with the token of its temporary files.
  @Option(help: .private)
  var worker: String?

  @OptionGroup var log: LogOptions

  struct Shard: Sendable, Equatable {
    let number: Int
    let count: Int

    init(parsing text: String) throws {
      let numbers = text.split(separator: "/").compactMap { Int($0) }
      guard numbers.count == 2, numbers[0] >= 0, numbers[0] < numbers[1] else {
        throw ValidationError("expected a part such as 3/16, from 0/16 to 15/16, got '\(text)'")
      }
      (number, count) = (numbers[0], numbers[1])
    }

    func contains(_ path: String) -> Bool {
      var hash = SHA256()
      hash.update(Array(path.utf8))
      return Int(hash.finish().prefix(8), radix: 16).map { $0 % count == number } ?? false
    }
  }

  func validate() throws {
    try Parse.reject(
      (output.isEmpty, "--output: expected a folder, got ''"),
      (files.contains(""), "<file>: expected the path of a sound file, got ''"),
      (
        files.isEmpty && list == nil && worker == nil, "<file>: expected sound files or --files-from <list>, got none"
      ),
      (isZeroEnded && list == nil, "--null cannot be used without --files-from"))
  }

  func run() async throws {
    log.bootstrap()
    if let worker {
      let status = try await BatchUnit(plan: analysis, folder: output, token: worker).serve()
      if status != .ok { throw ExitCode(status.rawValue) }
      return
    }
    for file in analysis.files { _ = try TextFile.bytes(of: file, option: "--analysis") }
    let files = try allFiles()
    try prepareFolder()
    BatchLeftovers.discardOld(in: output)
    if memoryLimit != nil, BatchLimits.residentMemory(of: getpid()) == nil {
      throw CommandFailure(.unavailable, "--memory-limit: this system does not report the memory of a process")
    }
    let run = BatchRun(files, folder: output, manifest: try manifestFile(), log: log)
    let arguments =
      ["batch", "--analysis", analysis.text, "--output", output] + (log.quiet ? ["--quiet"] : [])
    let folder = output
    let status = try await run.run(
      jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
      limits: BatchLimits(time: timeLimit, memory: memoryLimit)
    ) { try BatchWorker(arguments: arguments, folder: folder) }
    let summary = await run.summary
    if manifest == "-" {
      log.note(summary.trimmingCharacters(in: .newlines))
    } else {
      try LineWriter.standardOutput.write(summary)
    }
    if status != .ok { throw ExitCode(status.rawValue) }
  }

  /// The files of this shard, each once, in their order.
  private func allFiles() throws -> [BatchFile] {
    let all = try files.map { BatchFile($0) } + listedFiles()
    // Strings that differ in their bytes may be equal; files are not.
    var known: Set<Data> = []
    return all.filter { known.insert($0.bytes).inserted && shard?.contains($0.path) != false }
  }

  private func listedFiles() throws -> [BatchFile] {
    guard let list else { return [] }
    let bytes = try TextFile.bytes(of: list == "-" ? "/dev/stdin" : list, option: "--files-from", limit: 1 << 28)
    let end = isZeroEnded ? 0 : UInt8(ascii: "\n")
    return try zip(1..., bytes.split(separator: end, omittingEmptySubsequences: false)).compactMap { number, line in
      let path = !isZeroEnded && line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if path.isEmpty { return nil }
      guard !path.contains(0) else {
        throw CommandFailure(
          .badData, "--files-from: line \(number) has a zero byte", advice: "Zero bytes between paths require --null.")
      }
      return BatchFile(path, place: "\(isZeroEnded ? "path" : "line") \(number) of --files-from")
    }
  }

  private func prepareFolder() throws {
    do {
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure(
        .unavailable, "--output: cannot create the folder \(output): \(SystemError.reason(behind: error))",
        advice: "Choose a folder that this user may write to.")
    }
    guard let refusal = SystemError.refusal(ofWritingTo: output) else { return }
    throw CommandFailure(
      .unavailable, "--output: cannot write into the folder \(output): \(refusal)",
      advice: "Choose a folder that this user may write to.")
  }

  private func manifestFile() throws -> LineFile? {
    if manifest == "-" { return nil }
    let part = shard.map { "-\($0.number)-of-\($0.count)" } ?? ""
    let path = manifest ?? "\(output)/manifest\(part).ndjson"
    try OutputPath.check(path, option: "--manifest")
    do throws(LineFile.Failure) { return try LineFile(path, mayReplace: true) } catch {
      throw CommandFailure(.usage, "--manifest: expected the path of a file, got \(path)")
    }
  }
}
