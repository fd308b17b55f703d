import Foundation
import RustleFiles
import RustlePlot

/// The lines that a pipe delivers, to its end.
private func lines(of pipe: FileHandle) -> AsyncStream<Data> {
  let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
  // A thread of its own: a blocked read would keep one of the few that tasks run on.
  Thread {
    var rest = Data()
    while let bytes = try? AvailableBytes.read(from: pipe, atMost: 1 << 16), !bytes.isEmpty {
      rest += bytes
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        continuation.yield(Data(rest[..<end]))
        rest = Data(rest[(end + 1)...])
      }
    }
    continuation.finish()
  }.start()
  return stream
}

extension BatchUnit {
  /// Serves as a worker: reads a path per line, a JSON string, from standard input, and answers each with a line. Ends with its
  /// input, with a signal, and with the process that reads the answers. What nobody has put in its place by then is removed.
  func serve() async throws -> ExitStatus {
    let paths = lines(of: .standardInput)
    defer { BatchLeftovers.discard(of: token, in: folder) }
    let ending = try await RunEnding.of(view: LiveMeter?.none) { tasks in
      tasks.addTask {
        do {
          for await line in paths {
            let answer = try await run(JSONDecoder().decode(String.self, from: line))
            try LineWriter.standardOutput.write(JSONEncoder().encode(answer) + [UInt8(ascii: "\n")])
          }
        } catch is BrokenPipe {
          return .readerGone
        }
        return .streamEnded
      }
    }
    return ending.status
  }
}

/// The limits of one file.
struct BatchLimits: Sendable {
  /// In seconds.
  var time: Double?
  /// In MiB, of the worker's resident memory.
  var memory: Int?

  /// The resident memory of a process in MiB; nil where the system has no `/proc`.
  static func residentMemory(of process: Int32) -> Double? {
    guard let status = try? BoundedFile.bytes(of: "/proc/\(process)/status", limit: 1 << 16) else { return nil }
    let text = String(decoding: status, as: UTF8.self)
    return text.firstMatch(of: /VmRSS:\s+(\d+) kB/).flatMap { Double($0.output.1) }.map { $0 / 1_024 }
  }

  /// Ends a process that exceeds a limit, which is checked ten times per second until the task is cancelled, and returns the
  /// failure.
  func watch(_ process: Int32) async -> CommandFailure? {
    guard time != nil || memory != nil else { return nil }
    let start = ContinuousClock.now
    while (try? await Task.sleep(for: .milliseconds(100))) != nil {
      var excess: String?
      if let time, ContinuousClock.now - start > .seconds(time) { excess = "took more than \(Numbers.plain(time)) s" }
      if let memory, let used = Self.residentMemory(of: process), used > Double(memory) {
        excess = "needed more than \(memory) MiB"
      }
      guard let excess else { continue }
      kill(process, SIGKILL)
      return CommandFailure(.unavailable, excess)
    }
    return nil
  }
}

/// Half-written results. Several machines and containers may share their folder, and number their processes alike.
enum BatchLeftovers {
  /// In seconds. No analysis writes nothing for as long; if one does, its file is tried again.
  private static let greatestAge = 86_400.0

  /// Removes what a worker that was ended had written.
  static func discard(of token: String, in folder: String) {
    for path in paths(in: folder) where path.hasSuffix("-\(token).part") {
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// Removes what nobody has written to for a day: that of batches that were killed.
  static func discardOld(in folder: String) {
    for path in paths(in: folder) {
      let written = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
      guard let written, written.timeIntervalSinceNow < -greatestAge else { continue }
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  private static func paths(in folder: String) -> [String] {
    let manager = FileManager.default
    let names = ((try? manager.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.count == 2 }
    return names.flatMap { name in
      ((try? manager.contentsOfDirectory(atPath: "\(folder)/\(name)")) ?? []).filter {
        $0.hasPrefix(".") && $0.contains(".ndjson.") && $0.hasSuffix(".part")
      }.map { "\(folder)/\(name)/\($0)" }
    }
  }
}

/// A process of this program that analyses one file at a time: what ends it ends the analysis of that file alone.
struct BatchWorker {
  private let process: Process
  private let input: FileHandle
  private let folder: String
  private let token = UUID().uuidString
  private var answers: AsyncStream<Data>.Iterator

  /// - Parameter folder: that of the results.
  init(arguments: [String], folder: String) throws {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
    process.arguments = arguments + ["--worker", token]
    // Of glibc: one heap for all threads, which take turns, is smaller than one for each.
    process.environment = ProcessInfo.processInfo.environment.merging(["MALLOC_ARENA_MAX": "1"]) { own, _ in own }
    (process.standardInput, process.standardOutput) = (input, output)
    do { try process.run() } catch {
      throw CommandFailure(.unavailable, "a worker does not start: \(error.localizedDescription)")
    }
    (self.process, self.folder) = (process, folder)
    self.input = input.fileHandleForWriting
    answers = lines(of: output.fileHandleForReading).makeAsyncIterator()
  }

  /// Has a file analysed. Returns nil when the process ended meanwhile, and when the task is cancelled.
  mutating func analyse(_ path: String, limits: BatchLimits) async -> BatchAnswer? {
    var request = ByteText()
    request.append(json: path)
    request.append("\n")
    try? input.write(contentsOf: Data(request.bytes))
    let pid = process.processIdentifier
    let watch = Task { await limits.watch(pid) }
    let line = await answers.next()
    watch.cancel()
    if let line { return try? JSONDecoder().decode(BatchAnswer.self, from: line) }
    guard let excess = await watch.value else { return nil }
    var answer = BatchAnswer(.failed, excess)
    answer.endsWorker = true
    return answer
  }

  /// Ends the process: when it has nothing to do, or with `isCancelled` at once.
  func end(isCancelled: Bool) {
    if isCancelled { process.terminate() }
    try? input.close()
  }

  /// Removes what the process, which was killed, had written of a result.
  func discardLeftovers() { BatchLeftovers.discard(of: token, in: folder) }
}
