import Foundation
import RustleCore
import RustleFiles
import RustleMarket
import RustlePlot

/// A file of a batch, as the caller named it.
struct BatchFile: Sendable {
  /// The bytes of the path.
  let bytes: Data
  /// The path; of one that is not UTF-8 with `\xE9` for each byte that is not part of a character.
  let path: String
  /// nil: it can be opened by its path.
  let failure: CommandFailure?

  init(_ path: String) { (bytes, self.path, failure) = (Data(path.utf8), path, nil) }

  /// - Parameter place: where the path is from: `line 3 of --files-from`.
  init(_ bytes: Data, place: String) {
    let text = String(data: bytes, encoding: .utf8)
    (self.bytes, path) = (bytes, text ?? ArgumentBytes.escaped(bytes))
    failure = text == nil ? CommandFailure(.usage, "\(place): expected a path of UTF-8, got '\(path)'") : nil
  }
}

/// A line of the manifest.
struct BatchEntry: Sendable {
  let path: String
  let answer: BatchAnswer
  let seconds: Double
  let attempts: Int

  /// The reason of a failure, with the file's path.
  var message: String? {
    answer.message.map { message in
      let named = answer.hash.map { message.replacing($0, with: path) } ?? message
      return named.contains(path) ? named : "\(path): \(named)"
    }
  }

  static let columns: [Column<Self>] = [
    Column("path", \.path),
    Column("hash", "the result's name; null for a file that was not read", \.answer.hash),
    Column(
      "status", "done, cached (the result was there), failed, or poison (ended its worker three times)",
      \.answer.status.rawValue),
    Column("code", "of a failure: the exit status of the analysis alone", \.answer.code),
    Column("message", .ditto, \.message),
    Column("seconds", "from the request to the answer", \.seconds),
    Column("host") { _ in host },
    Column("attempts", \.attempts),
  ]

  private static let host = ProcessInfo.processInfo.hostName
  private static let table = Table(columns, format: .ndjson, profile: .present(isASCIIAskedFor: true))
  var line: String { Self.table.line(self) }
}

/// Has files analysed by worker processes, and writes what became of each.
actor BatchRun {
  /// A file that ends this many workers is put aside.
  static let attempts = 3

  private let files: [BatchFile]
  /// That of the results.
  private let folder: String
  private let log: LogOptions
  private var position = 0
  /// nil: standard output.
  private var manifest: LineFile?
  private var progress: ProgressLine
  private var counts: [BatchAnswer.Status: Int] = [:]
  private var failures = 0
  private let start = ContinuousClock.now

  /// - Parameter manifest: the file of the manifest; nil for standard output.
  init(_ files: [BatchFile], folder: String, manifest: LineFile?, log: LogOptions) {
    (self.files, self.folder, self.manifest, self.log) = (files, folder, manifest, log)
    progress = log.progress(total: files.count)
  }

  /// Analyses the files until the last or a signal. Returns the status of the signal, or whether a file failed.
  nonisolated func run(jobs: Int, limits: BatchLimits, worker: @escaping @Sendable () throws -> BatchWorker)
    async throws -> ExitStatus
  {
    let ending = try await RunEnding.of(view: LiveMeter?.none) { _ in
      try await self.close()
    } tasks: { tasks in
      tasks.addTask {
        do {
          try await withThrowingTaskGroup(of: Void.self) { lanes in
            for _ in 0..<min(jobs, self.files.count) {
              lanes.addTask { try await self.analyse(limits: limits, worker: worker) }
            }
            try await lanes.waitForAll()
          }
        } catch is BrokenPipe {
          return .readerGone
        }
        return .streamEnded
      }
    }
    guard ending == .streamEnded else { return ending.status }
    return await failures > 0 ? .filesFailed : .ok
  }

  /// Has one worker after the other analyse files until none is left. The disk is waited for while the next file is analysed.
  private nonisolated func analyse(limits: BatchLimits, worker make: () throws -> BatchWorker) async throws {
    var worker = try make()
    defer { worker.end(isCancelled: Task.isCancelled) }
    let disk = BlockingExecutor("rustle.batch.disk")
    try await withThrowingTaskGroup(of: Void.self) { storing in
      while let file = await next() {
        let (path, start) = (file.path, ContinuousClock.now)
        if let failure = file.failure {
          try await record(BatchEntry(path: path, answer: BatchAnswer(.failed, failure), seconds: 0, attempts: 0))
          continue
        }
        var (answer, attempts) = (BatchAnswer?.none, 0)
        repeat {
          attempts += 1
          answer = await worker.analyse(path, limits: limits)
          try Task.checkCancellation()
          // It exceeded a limit, or something else ended it.
          if answer?.endsWorker != false {
            worker.end(isCancelled: false)
            try await storing.waitForAll()
            worker.discardLeftovers()
            worker = try make()
          }
        } while answer == nil && attempts < Self.attempts
        let poison = CommandFailure(.internal, "ended its worker \(Self.attempts) times")
        let (found, tries) = (answer ?? BatchAnswer(.poison, poison), attempts)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        try await storing.waitForAll()
        storing.addTask(executorPreference: disk) {
          let stored = found.stored(in: self.folder)
          try await self.record(BatchEntry(path: path, answer: stored, seconds: seconds, attempts: tries))
        }
      }
      try await storing.waitForAll()
    }
  }

  private func next() -> BatchFile? {
    guard position < files.count else { return nil }
    position += 1
    return files[position - 1]
  }

  private func record(_ entry: BatchEntry) throws {
    let answer = entry.answer
    if answer.status == .unwritable { throw CommandFailure(.unavailable, answer.message ?? "") }
    if manifest == nil {
      try LineWriter.standardOutput.write(entry.line)
    } else {
      do throws(LineFile.Failure) { try manifest?.append(Data(entry.line.utf8)) } catch { throw Self.failure(error) }
    }
    counts[answer.status, default: 0] += 1
    if let message = entry.message {
      failures += 1
      progress.end()
      log.note(message)
    }
    progress.update(counts.values.reduce(0, +))
  }

  private func close() throws {
    progress.end()
    do throws(LineFile.Failure) { try manifest?.close() } catch { throw Self.failure(error) }
  }

  private static func failure(_ error: LineFile.Failure) -> CommandFailure {
    guard case .unwritable(let reason) = error else { return CommandFailure(.internal, "\(error)") }
    return CommandFailure(
      .unavailable, "cannot write the manifest: \(reason)", advice: SystemError.advice(for: reason))
  }

  /// The counts, in one line.
  var summary: String {
    func count(_ status: BatchAnswer.Status) -> Int { counts[status] ?? 0 }
    let recorded = counts.values.reduce(0, +)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return "\(recorded) of \(files.count) files in \(String(format: "%.1f", seconds)) s: \(count(.done)) done, "
      + "\(count(.cached)) cached, \(count(.failed)) failed, \(count(.poison)) poison\n"
  }
}
