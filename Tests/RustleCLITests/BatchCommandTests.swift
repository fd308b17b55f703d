import Foundation
import TestSupport
import Testing

@testable import RustleCLI

// Processes inherit each other's pipes: they are run one after the other, in the suite that is serialized.
extension SoundCommandTests {
  /// A folder with sound files, and one for results.
  private final class Batch {
    let folder: ScratchFolder
    let files: [String]
    let output: String

    /// - Parameter seconds: the length of each file.
    init(_ seconds: [Double]) throws {
      let folder = try ScratchFolder()
      files = try seconds.enumerated().map { index, seconds in
        let sine = WaveFile.sine(200 + 20 * Double(index), amplitude: 0.5, seconds: seconds, sampleRate: 8_000)
        return try folder.write(sine, as: "\(index).wav")
      }
      output = folder.path("results")
      self.folder = folder
    }

    func run(_ options: [String] = [], files: [String]? = nil, output: String? = nil) throws -> RustleProcess.Result {
      try RustleProcess.run(["batch", "--output", output ?? self.output] + options + (files ?? self.files))
    }

    func manifest(_ name: String = "manifest.ndjson") throws -> [BatchLine] {
      let text = try String(contentsOfFile: "\(output)/\(name)", encoding: .utf8)
      return try text.split(separator: "\n").map { try JSONDecoder().decode(BatchLine.self, from: Data($0.utf8)) }
    }

    /// The results by their names, and what is hidden, such as a half-written one.
    static func results(_ output: String) throws -> (results: [String: Data], hidden: [String]) {
      var (results, hidden): ([String: Data], [String]) = ([:], [])
      for name in try FileManager.default.subpathsOfDirectory(atPath: output).sorted() {
        let last = URL(fileURLWithPath: name).lastPathComponent
        if last.hasPrefix(".") { hidden.append(name) }
        guard name.contains("/") else { continue }
        results[name] = try Data(contentsOf: URL(fileURLWithPath: "\(output)/\(name)"))
      }
      return (results, hidden)
    }
  }

  private struct BatchLine: Decodable {
    let path: String
    let hash: String?
    let status: String
    let code: Int?
    let message: String?
    let attempts: Int
  }

  private static let hasProcessFiles = FileManager.default.fileExists(atPath: "/proc/self/stat")

  @Test func aResultHasTheRecordsOfTheCommands() throws {
    let batch = try Batch([0.5, 0.7])
    let run = try batch.run(["--analysis", "meter,pitch --hop 1000,voice,spectrum --size 1024"])
    #expect(run.status == 0 && run.errors.isEmpty)
    #expect(
      run.output.hasPrefix("2 of 2 files in ") && run.output.hasSuffix(": 2 done, 0 cached, 0 failed, 0 poison\n"))
    let meter = try RustleProcess.run(["meter", "--json"] + batch.files)
    for (index, path) in batch.files.enumerated() {
      let line = try #require(try batch.manifest().first { $0.path == path })
      let hash = try #require(line.hash)
      let text = try String(contentsOfFile: BatchUnit.place(of: hash, in: batch.output), encoding: .utf8)
      let others = try [["pitch", "--hop", "1000"], ["voice"], ["spectrum", "--size", "1024"]].map { words in
        "{\"v\":1,\"analysis\":\"\(words.joined(separator: " "))\"}\n"
          + (try RustleProcess.run(words + ["--json", path]).output)
      }
      let expected = "{\"v\":1,\"analysis\":\"meter\"}\n" + meter.lines[index] + "\n" + others.joined()
      #expect(text == expected.replacing(path, with: hash))
    }
  }

  @Test func whatIsThereIsNotComputedAgain() throws {
    let batch = try Batch([0.3, 0.4, 0.5])
    #expect(try batch.run().status == 0)
    let numbers = {
      try Batch.results(batch.output).results.keys.map { name in
        try FileManager.default.attributesOfItem(atPath: "\(batch.output)/\(name)")[.systemFileNumber] as? UInt64
      }
    }
    let before = Set(try numbers())
    let second = try batch.run()
    #expect(second.status == 0 && second.output.contains(": 0 done, 3 cached, 0 failed"))
    #expect(Set(try numbers()) == before && before.count == 3)
    #expect(try batch.manifest().map(\.status) == ["cached", "cached", "cached"])
    // Other options, and other bytes, have other results.
    #expect(try batch.run(["--analysis", "meter --weighting C"]).output.contains(": 3 done, 0 cached"))
    let copy = try batch.folder.write(Data(contentsOf: URL(fileURLWithPath: batch.files[0])), as: "copy.wav")
    #expect(try batch.run(files: [copy]).output.contains(": 0 done, 1 cached"))
  }

  /// The worker begins the next one while the result of the last one is put in its place.
  @Test func filesOfEqualBytesHaveOneResult() throws {
    let batch = try Batch([0.1])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: batch.files[0]))
    let files = try batch.files + (0..<20).map { try batch.folder.write(bytes, as: "copy\($0).wav") }
    let run = try batch.run(["--jobs", "1"], files: files)
    #expect(run.status == 0 && run.errors.isEmpty)
    let lines = try batch.manifest()
    #expect(Set(lines.map(\.path)) == Set(files) && Set(lines.map(\.hash)).count == 1)
    let left = try Batch.results(batch.output)
    #expect(left.results.count == 1 && left.hidden.isEmpty)
  }

  @Test func aBrokenFileIsAResultAndFailsNoOther() throws {
    let batch = try Batch([0.3])
    let broken = try batch.folder.write(Data("RIFF and no sound".utf8), as: "broken.wav")
    let slow = try batch.folder.write(WaveFile.sine(100, amplitude: 0.5, seconds: 1, sampleRate: 2_000), as: "slow.wav")
    let files = batch.files + [broken, slow, batch.folder.path("none.wav"), batch.folder.url.path]
    for status in ["done", "cached"] {
      let run = try batch.run(["--analysis", "pitch,voice"], files: files)
      #expect(run.status == 1 && run.output.contains("4 failed, 0 poison"))
      let lines = try batch.manifest()
      #expect(Set(lines.map(\.path)) == Set(files) && lines.count == files.count)
      #expect(files.map { path in lines.first { $0.path == path }?.code } == [nil, 65, 65, 66, 66])
      #expect(lines.first { $0.path == batch.files[0] }?.status == status)
      #expect(run.errors.contains("rustle: \(broken): expected an audio file"))
      let hash = try #require(lines.first { $0.path == slow }?.hash)
      let text = try String(contentsOfFile: BatchUnit.place(of: hash, in: batch.output), encoding: .utf8)
      // Pitch works at this rate.
      #expect(text.contains("\"f0_hz\":") && text.contains("{\"v\":1,\"analysis\":\"voice\",\"error\":{\"code\":65,"))
      #expect(!text.contains(slow))
    }
  }

  @Test func namesThatAreEqualAsTextAreTwoFiles() throws {
    let batch = try Batch([])
    // One character, and a letter with an accent behind it.
    let files = try zip([200.0, 300], ["\u{E9}.wav", "e\u{301}.wav"]).map { hertz, name in
      try batch.folder.write(WaveFile.sine(hertz, amplitude: 0.5, seconds: 0.2, sampleRate: 8_000), as: name)
    }
    #expect(try batch.run(files: files + files).output.hasPrefix("2 of 2 files in "))
    let lines = try batch.manifest()
    #expect(Set(lines.map { Data($0.path.utf8) }) == Set(files.map { Data($0.utf8) }))
    #expect(Set(lines.map(\.hash)).count == 2 && lines.allSatisfy { $0.status == "done" })
  }

  @Test func aListHasFilesOfAnyName() throws {
    let batch = try Batch([])
    let names = ["\u{B}", "\u{C}", "\r", "\u{1C}", "\u{85}", "\u{2028}", "\u{2029}", " "].map { "a\($0)b.wav" }
    let files = try names.enumerated().map { index, name in
      let sine = WaveFile.sine(200 + 20 * Double(index), amplitude: 0.5, seconds: 0.1, sampleRate: 8_000)
      return try batch.folder.write(sine, as: name)
    }
    let list = batch.folder.path("list")
    let other = Data("\(batch.folder.path("\u{E9}"))".utf8) + [0xE9, 0xFF] + Data(".wav".utf8)
    let written = files.map { Data($0.utf8) } + [other]
    // Lines may have the ends of another system, and may be empty.
    try Data(written.map { $0 + Data("\r\n".utf8) }.joined() + Data("\n\r\n".utf8)).write(
      to: URL(fileURLWithPath: list))
    let run = try batch.run(["--files-from", list], files: [])
    #expect(run.status == 1 && run.output.contains("9 of 9 files in "))
    let lines = try batch.manifest()
    let escaped = batch.folder.path("\u{E9}\\xE9\\xFF.wav")
    #expect(Set(lines.map { Data($0.path.utf8) }) == Set((files + [escaped]).map { Data($0.utf8) }))
    let failed = lines.filter { $0.status == "failed" }
    #expect(failed.map(\.path) == [escaped] && failed.map(\.code) == [64] && failed.map(\.hash) == [nil])
    #expect(failed[0].message == "line 9 of --files-from: expected a path of UTF-8, got '\(escaped)'")

    let broken = try batch.folder.write(Data(contentsOf: URL(fileURLWithPath: files[0])), as: "a\nb\r")
    try Data("\(broken)\0\(files[1])\0".utf8).write(to: URL(fileURLWithPath: list))
    #expect(try batch.run(["--files-from", list, "-0"], files: []).status == 0)
    #expect(try Set(batch.manifest().map(\.path)) == [broken, files[1]])
    let without = try batch.run(["--files-from", list], files: [])
    #expect(
      without.status == 65 && without.errors.contains("line 2 has a zero byte") && without.errors.contains("--null"))
  }

  @Test func aResultDependsOnTheFilesThatOptionsName() throws {
    let batch = try Batch([0.3])
    let response = URL(fileURLWithPath: try batch.folder.write(Data("100 0\n1000 0\n10000 0\n".utf8), as: "mic.cal"))
    let words = ["--analysis", "meter --response \(response.path)"]
    var hashes: Set<String?> = []
    for (deviation, statuses) in [(0, ["done"]), (0, ["cached"]), (10, ["done"])] {
      try Data("100 \(deviation)\n1000 \(deviation)\n10000 \(deviation)\n".utf8).write(to: response)
      #expect(try batch.run(words).status == 0)
      #expect(try batch.manifest().map(\.status) == statuses)
      hashes.insert(try batch.manifest().first?.hash)
    }
    #expect(hashes.count == 2)
    try FileManager.default.removeItem(at: response)
    let run = try batch.run(words)
    #expect(run.status == 66 && run.errors.contains("\(response.path): no such file"), "\(run.errors)")
  }

  @Test func aResultWithoutItsEndIsComputedAgain() throws {
    let batch = try Batch([])
    var state: UInt32 = 1
    let noise = (0..<65_536).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(state >> 8) / 16_777_216 - 0.5
    }
    let file = try batch.folder.write(WaveFile.floats(noise, channels: 1, sampleRate: 44_100), as: "noise.wav")
    // The line of so many peaks is longer than what is read at first.
    for (analysis, length) in [("meter", 100), ("spectrum --size 8192 --peaks 1000", 65_536)] {
      let words = ["--analysis", analysis, file]
      try #require(try batch.run(words).status == 0)
      let hash = try #require(try batch.manifest().first?.hash)
      let place = URL(fileURLWithPath: BatchUnit.place(of: hash, in: batch.output))
      let whole = try Data(contentsOf: place)
      #expect(whole.count > length)
      for end in [0, whole.count - 1, whole.count / 2] {
        try whole.prefix(end).write(to: place)
        #expect(try batch.run(words).output.contains(": 1 done, 0 cached"))
        #expect(try Data(contentsOf: place) == whole)
      }
      #expect(try batch.run(words).output.contains(": 0 done, 1 cached"))
    }
  }

  @Test func theShardsAreTheWholeAndJobsChangeNothing() throws {
    let batch = try Batch((1...8).map { 0.1 * Double($0) })
    let list = try batch.folder.write(Data(batch.files.joined(separator: "\n").utf8), as: "list")
    let words = ["--analysis", "meter,pitch", "--files-from", list]
    var paths: [String] = []
    for shard in 0..<3 {
      #expect(try batch.run(words + ["--shard", "\(shard)/3"], files: []).status == 0)
      paths += (try? batch.manifest("manifest-\(shard)-of-3.ndjson").map(\.path)) ?? []
    }
    #expect(paths.sorted() == batch.files.sorted())
    let whole = try Batch.results(batch.output)
    #expect(whole.results.count == 8 && whole.hidden.isEmpty)
    for jobs in ["1", "2"] {
      let output = batch.folder.path(jobs)
      let run = try batch.run(words + ["--jobs", jobs, "--manifest", "-"], output: output)
      #expect(run.status == 0 && run.lines.count == 8 && run.errors.contains("8 of 8 files"))
      #expect(try Batch.results(output).results == whole.results)
    }
  }

  @Test func wrongUsageIsReported() throws {
    let batch = try Batch([0.1])
    let cases: [([String], Int32, String)] = [
      (["--analysis", "tune"], 64, "expected meter, pitch, voice or spectrum, got 'tune'"),
      (["--analysis", "pitch --hop 0"], 64, "expected a number of samples from 1 to 1048576, got '0'"),
      (["--analysis", "pitch --png a.png"], 64, "--png and --calibrate are not part of a batch"),
      (["--analysis", "meter other.wav"], 64, "meter other.wav: expected options, got the file 'other.wav'"),
      (
        ["--analysis", "pitch --voice --help"], 64, "pitch --voice --help: expected options of an analysis, got one for"
      ),
      (["--analysis", "meter,,pitch"], 64, "<list>': expected meter, pitch, voice or spectrum, got ''"),
      (["--null"], 64, "--null cannot be used without --files-from"),
      (["--shard", "3/3"], 64, "expected a part such as 3/16"),
      (["--files-from", "no/such/list"], 66, "--files-from: no/such/list: no such file"),
      (["--output", "/dev/null/results"], 69, "cannot create the folder /dev/null/results"),
      (["--output", "/proc"], 69, "/proc"),
    ]
    for (words, status, text) in cases {
      let run = try batch.run(words)
      #expect(run.status == status && run.errors.contains(text), "\(words): \(run.errors)")
    }
    #expect(try RustleProcess.run(["batch", "--output", batch.output]).status == 64)
  }

  @Test func anOutputThatIsFullEndsTheBatch() throws {
    let batch = try Batch([1, 1.1, 1.2])
    // A file of more than 1 KiB is an error instead of a signal.
    let run = try RustleProcess.shell(
      "trap '' XFSZ; ulimit -f 1; rustle batch --analysis pitch --output \(batch.output) \(batch.files.joined(separator: " "))"
    )
    #expect(run.status == 69 && run.errors.contains("cannot write"), "\(run.errors)")
    let left = try Batch.results(batch.output)
    #expect(left.results.isEmpty && left.hidden.isEmpty)
    #expect(try batch.run(["--analysis", "pitch"]).output.contains(": 3 done"))
  }

  /// Whether this user may mount folders of their own.
  private static let hasNamespaces: Bool = {
    let run = try? RustleProcess.shell("unshare --map-root-user --mount mount --bind /tmp /tmp")
    return run?.status == 0
  }()

  /// It may be full of results: the disk is what cannot be written to.
  @Test(.enabled(if: hasNamespaces), arguments: ["results", "results/new"])
  func anOutputThatIsReadOnlyIsToldAndLeavesNothing(name: String) throws {
    let batch = try Batch([0.2])
    #expect(try batch.run().status == 0)
    let before = try Batch.results(batch.output)
    let mount = "mount --bind \(batch.output) \(batch.output) && mount -o remount,bind,ro \(batch.output)"
    let words = "batch --analysis pitch --output \(batch.folder.path(name)) \(batch.files[0])"
    let run = try RustleProcess.shell(
      "unshare --map-root-user --mount bash -c '\(mount) && exec \"$RUSTLE\" \(words)'")
    #expect(run.status == 69 && run.errors.contains("\(name): the disk is read-only\n"), "\(run.errors)")
    let left = try Batch.results(batch.output)
    #expect(left.results == before.results && left.hidden.isEmpty)
  }

  /// Nothing of the worker's time is the disk's: whoever asks puts a result in its place.
  @Test func aWorkerLeavesItsResultToWhoAsks() throws {
    let batch = try Batch([0.2])
    let request = try JSONEncoder().encode(batch.files[0]) + Data("\n".utf8)
    let run = try RustleProcess.run(["batch", "--output", batch.output, "--worker", "token"], input: request)
    let answer = try JSONDecoder().decode(BatchAnswer.self, from: run.data)
    #expect(run.status == 0 && answer.status == .done)
    // It has ended, and removed what nobody has taken.
    let left = try Batch.results(batch.output)
    #expect(left.results.isEmpty && left.hidden.isEmpty)
    let gone = answer.stored(in: batch.output)
    #expect(gone.status == .failed && gone.message == "something removed its unfinished result")
    let unfinished = try #require(answer.unfinished)
    try Data("whole\n".utf8).write(to: URL(fileURLWithPath: unfinished))
    #expect(answer.stored(in: batch.output).status == .done)
    let hash = try #require(answer.hash)
    #expect(try Batch.results(batch.output).results == ["\(hash.prefix(2))/\(hash).ndjson": Data("whole\n".utf8)])
  }

  // MARK: Processes that end

  /// The workers of a batch, by the parents of all processes.
  private static func workers(of batch: Int32) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).filter { process in
      let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      // The fields behind the name: the state, and the parent.
      let fields = stat?.split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 1 && fields[0] != "Z" && fields[1] == "\(batch)"
    }
  }

  /// Waits for a worker that has begun a result, other than these, and stops it.
  private static func stoppedWorker(of process: Process, output: String, besides known: Set<Int32> = []) throws -> Int32
  {
    while process.isRunning {
      for worker in try workers(of: process.processIdentifier) where !known.contains(worker) {
        let hidden = (try? Batch.results(output).hidden) ?? []
        guard hidden.contains(where: { $0.contains(".ndjson.\(worker).") }) else { continue }
        kill(worker, SIGSTOP)
        return worker
      }
      sched_yield()
    }
    throw CommandFailure(.internal, "expected a worker, got the end of the batch")
  }

  /// Starts a batch of one long file and a short one with a single worker.
  private static func started(_ batch: Batch, _ options: [String] = []) throws -> Process {
    let words =
      ["batch", "--output", batch.output, "--jobs", "1", "--analysis", "voice --frames"] + options + batch.files
    return try RustleProcess.start(words, output: FileHandle.nullDevice)
  }

  @Test(.enabled(if: hasProcessFiles)) func aKilledWorkerIsReplaced() throws {
    let batch = try Batch([20, 0.3])
    let process = try Self.started(batch)
    kill(try Self.stoppedWorker(of: process, output: batch.output), SIGKILL)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let lines = try batch.manifest()
    #expect(lines.map(\.status) == ["done", "done"] && lines.map(\.attempts) == [2, 1])
    let results = try Batch.results(batch.output)
    #expect(results.hidden.isEmpty)
    let undisturbed = batch.folder.path("undisturbed")
    #expect(try batch.run(["--analysis", "voice --frames"], output: undisturbed).status == 0)
    #expect(try Batch.results(undisturbed).results == results.results)
  }

  @Test(.enabled(if: hasProcessFiles)) func anotherMachinesProcessOfTheSameNumberLosesNothing() throws {
    let batch = try Batch([20, 0.3])
    let process = try Self.started(batch)
    let worker = try Self.stoppedWorker(of: process, output: batch.output)
    let own = try #require(try Batch.results(batch.output).hidden.first { $0.contains(".ndjson.\(worker).") })
    let folder = "\(batch.output)/\(own.prefix(2))"
    let name = ".\(String(repeating: "a", count: 64)).ndjson.\(worker).\(UUID().uuidString).part"
    try Data("half".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    kill(worker, SIGKILL)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try Batch.results(batch.output).hidden == ["\(own.prefix(2))/\(name)"])
  }

  @Test(.enabled(if: hasProcessFiles)) func anUnfinishedResultThatIsRemovedIsWrittenAgain() throws {
    let batch = try Batch([20, 0.3])
    let process = try Self.started(batch)
    let worker = try Self.stoppedWorker(of: process, output: batch.output)
    for name in try Batch.results(batch.output).hidden {
      try FileManager.default.removeItem(atPath: "\(batch.output)/\(name)")
    }
    kill(worker, SIGCONT)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try batch.manifest().map(\.status) == ["done", "done"])
    let results = try Batch.results(batch.output)
    #expect(results.results.count == 2 && results.hidden.isEmpty)
  }

  @Test func whatAKilledBatchLeavesIsRemovedAfterADay() throws {
    let batch = try Batch([0.1])
    let folder = "\(batch.output)/aa"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let ages = [("1", 3_600.0), ("\(getpid())", 90_000)]
    for (process, age) in ages {
      let path = "\(folder)/.\(String(repeating: "a", count: 64)).ndjson.\(process).\(UUID().uuidString).part"
      try Data("half".utf8).write(to: URL(fileURLWithPath: path))
      let date = Date(timeIntervalSinceNow: -age)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }
    #expect(try batch.run().status == 0)
    let hidden = try Batch.results(batch.output).hidden
    #expect(hidden.count == 1 && hidden[0].contains(".ndjson.1."))
  }

  @Test(.enabled(if: hasProcessFiles)) func aFileThatEndsThreeWorkersIsPutAside() throws {
    let batch = try Batch([20, 0.3])
    let process = try Self.started(batch)
    var killed: Set<Int32> = []
    for _ in 0..<BatchRun.attempts {
      let worker = try Self.stoppedWorker(of: process, output: batch.output, besides: killed)
      killed.insert(worker)
      kill(worker, SIGKILL)
    }
    process.waitUntilExit()
    #expect(process.terminationStatus == 1 && killed.count == 3)
    let lines = try batch.manifest()
    #expect(lines.map(\.path) == batch.files && lines.map(\.status) == ["poison", "done"])
    #expect(lines[0].attempts == 3 && lines[0].message == "\(batch.files[0]): ended its worker 3 times")
    let results = try Batch.results(batch.output)
    #expect(results.results.count == 1 && results.hidden.isEmpty)
  }

  @Test(.enabled(if: hasProcessFiles)) func aFileThatChangesHasNoResult() throws {
    let batch = try Batch([20, 0.3])
    let process = try Self.started(batch)
    let worker = try Self.stoppedWorker(of: process, output: batch.output)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: batch.files[0]))
    try file.seekToEnd()
    try file.write(contentsOf: Data([0, 0, 0, 0]))
    try file.close()
    kill(worker, SIGCONT)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
    let lines = try batch.manifest()
    #expect(lines.map(\.code) == [69, nil])
    #expect(lines[0].message == "\(batch.files[0]): changed while it was read")
    let results = try Batch.results(batch.output)
    #expect(results.results.count == 1 && results.hidden.isEmpty)
  }

  @Test(.enabled(if: hasProcessFiles)) func aFileThatVanishesWhileItIsReadHasNoResult() throws {
    let batch = try Batch([20, 0.3])
    let process = try Self.started(batch)
    let worker = try Self.stoppedWorker(of: process, output: batch.output)
    try FileManager.default.removeItem(atPath: batch.files[0])
    kill(worker, SIGCONT)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1)
    let lines = try batch.manifest()
    #expect(lines.map(\.code) == [66, nil] && lines.map(\.status) == ["failed", "done"])
    #expect(lines[0].message == "\(batch.files[0]): no such file")
    let results = try Batch.results(batch.output)
    #expect(results.results.count == 1 && results.hidden.isEmpty)
  }

  @Test(.enabled(if: hasProcessFiles), arguments: ["--time-limit", "--memory-limit"])
  func aFileBeyondALimitIsGivenUp(option: String) throws {
    let batch = try Batch([20])
    let process = try Self.started(batch, [option, "1"])
    // It goes on if it is the memory that counts.
    if option == "--time-limit" { _ = try Self.stoppedWorker(of: process, output: batch.output) }
    process.waitUntilExit()
    let lines = try batch.manifest()
    let unit = option == "--time-limit" ? "took more than 1 s" : "needed more than 1 MiB"
    #expect(process.terminationStatus == 1 && lines.map(\.code) == [69] && lines[0].attempts == 1)
    #expect(lines[0].message == "\(batch.files[0]): \(unit)")
    #expect(try Batch.results(batch.output).hidden.isEmpty)
  }

  @Test(.enabled(if: hasProcessFiles), arguments: [SIGINT, SIGKILL]) func anEndedBatchGoesOn(signal: Int32) throws {
    let batch = try Batch([0.3, 20, 0.4])
    let process = try Self.started(batch)
    while (try? Batch.results(batch.output).results.keys.contains { $0.hasSuffix(".ndjson") }) != true { sched_yield() }
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(process.terminationStatus == (signal == SIGINT ? 130 : SIGKILL))
    let first = try #require(try Batch.results(batch.output).results.first { $0.key.hasSuffix(".ndjson") })
    let run = try batch.run(["--analysis", "voice --frames"])
    #expect(run.status == 0 && !run.output.contains(" 0 cached"))
    #expect(try Batch.results(batch.output).results[first.key] == first.value)
  }
}
