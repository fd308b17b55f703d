import Foundation
import RustleAudioFiles
import RustleFiles
import RustleMarket
import RustlePlot

/// What became of a file.
struct BatchAnswer: Codable, Sendable, Equatable {
  enum Status: String, Codable, Sendable {
    /// Analysed now.
    case done
    /// Its result was there.
    case cached
    /// There is no result, or one with an error.
    case failed
    /// Ended its worker each time.
    case poison
    /// The result cannot be written: the batch ends.
    case unwritable
  }

  var status: Status
  /// The result's name; nil where the file was not read.
  var hash: String?
  var code: Int?
  var message: String?
  /// Whether the worker was ended.
  var endsWorker = false
  /// The complete result under its temporary name: whoever asked puts it in its place, `stored(in:)`.
  var unfinished: String?

  init(_ status: Status, hash: String? = nil, _ failure: CommandFailure? = nil) {
    (self.status, self.hash) = (status, hash)
    (code, message) = (failure.map { Int($0.status.rawValue) }, failure?.message)
  }

  /// Puts a result in its place, once it is on the disk. The call blocks: a worker is not held up by it.
  func stored(in folder: String) -> Self {
    guard let unfinished, let hash else { return self }
    let replacement = FileReplacement(of: BatchUnit.place(of: hash, in: folder), written: unfinished)
    defer { replacement.discard() }
    do {
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: unfinished))
      defer { try? file.close() }
      try file.synchronize()
      try ReplacedFile.check(replacement.finish(), unfinished)
      return self
    } catch {
      guard FileManager.default.fileExists(atPath: unfinished) else {
        return Self(.failed, hash: hash, CommandFailure(.unavailable, "something removed its unfinished result"))
      }
      let reason = "cannot write a result into \(folder): \(SystemError.reason(behind: error))"
      return Self(.unwritable, hash: hash, CommandFailure(error) ?? CommandFailure(.unavailable, reason))
    }
  }
}

/// The analysis of one file, which is a function of its bytes, the plan and this build: its result has their hash as its name.
struct BatchUnit: Sendable {
  let plan: BatchPlan
  let folder: String
  /// At the end of the names of this process's temporary files, and of no other's.
  let token: String

  /// Something else removed the temporary file.
  private struct Vanished: Error {}

  private struct OutputFailure: Error {
    let cause: any Error
  }

  /// A failure that is not the file's, or not of these bytes: the next run tries again.
  private struct Passing: Error {
    let failure: CommandFailure
  }

  /// What shows that a file was written to.
  private struct FileState: Equatable {
    let size: UInt64?
    let changed: Date?
    let number: UInt64?

    init(_ path: String) throws(CommandFailure) {
      let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      let attributes = try? FileManager.default.attributesOfItem(atPath: target)
      switch attributes?[.type] as? FileAttributeType {
      case .typeRegular?: break
      case nil: throw CommandFailure(.noInput, "\(path): no such file")
      default: throw CommandFailure(.noInput, "\(path): expected a file")
      }
      size = attributes?[.size] as? UInt64
      changed = attributes?[.modificationDate] as? Date
      number = attributes?[.systemFileNumber] as? UInt64
    }
  }

  static func place(of hash: String, in folder: String) -> String { "\(folder)/\(hash.prefix(2))/\(hash).ndjson" }

  /// Analyses a file, unless its result is there, which is left under its temporary name.
  ///
  /// - Throws: `CancellationError`.
  func run(_ path: String) async throws -> BatchAnswer {
    for _ in 0..<BatchRun.attempts {
      do { return try await attempt(path) } catch is Vanished {}
    }
    let reason = "something removed its unfinished result \(BatchRun.attempts) times"
    return BatchAnswer(.failed, CommandFailure(.unavailable, "\(path): \(reason)"))
  }

  /// - Throws: `CancellationError` and `Vanished`.
  private func attempt(_ path: String) async throws -> BatchAnswer {
    var hash: String?
    do {
      let states = try states(of: path)
      let key = try key(of: path)
      hash = key
      let place = Self.place(of: key, in: folder)
      if let stored = StoredResult(place) {
        return BatchAnswer(stored.failure == nil ? .cached : .failed, hash: key, stored.failure)
      }
      let (failure, unfinished) = try await write(place, path: path, key: key, states: states)
      var answer = BatchAnswer(failure == nil ? .done : .failed, hash: key, failure)
      answer.unfinished = unfinished
      return answer
    } catch let error as CommandFailure {
      return BatchAnswer(.failed, hash: hash, error)
    } catch let error as Passing {
      return BatchAnswer(.failed, hash: hash, error.failure)
    } catch let error as OutputFailure {
      let cause = CommandFailure(error.cause)
      let reason = "cannot write a result into \(folder): \(SystemError.reason(behind: error.cause))"
      return BatchAnswer(.unwritable, hash: hash, cause ?? CommandFailure(.unavailable, reason))
    }
  }

  /// What a result is made from.
  private func states(of path: String) throws -> [FileState] { try (plan.files + [path]).map { try FileState($0) } }

  /// The result's name: the hash over this build, the plan with its files, and the file's bytes.
  private func key(of path: String) throws -> String {
    var hash = SHA256()
    hash.update(Array("rustle \(Version.package) \(Version.archive)\n\(plan.text)\n".utf8))
    for file in plan.files { hash.update(Array("\(try Self.hash(of: file, after: SHA256()))\n".utf8)) }
    return try Self.hash(of: path, after: hash)
  }

  /// The hash of a file's bytes behind those that were hashed before.
  private static func hash(of path: String, after hash: SHA256) throws -> String {
    var hash = hash
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? file.close() }
      while true {
        try Task.checkCancellation()
        let bytes = try AvailableBytes.read(from: file, atMost: 1 << 18)
        if bytes.isEmpty { return hash.finish() }
        hash.update([UInt8](bytes))
      }
    } catch let error where !(error is CancellationError) {
      let reason = (error as? AvailableBytes.Failure)?.reason ?? SystemError.reason(behind: error)
      throw CommandFailure(.noInput, "\(path): \(reason)")
    }
  }

  /// Writes the result; returns the last error that is part of it, and its temporary path.
  private func write(
    _ place: String, path: String, key: String, states: [FileState]
  ) async throws -> (CommandFailure?, unfinished: String?) {
    // One of its own: the result of a file with the same bytes may wait to be put in its place.
    let replacement = FileReplacement(of: place, token: "\(UUID().uuidString)-\(token)")
    var (isTemporary, isComplete) = (false, false)
    defer { if !isComplete { replacement.discard() } }
    do {
      let folder = URL(fileURLWithPath: place).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try ReplacedFile.check(replacement.begin(), place)
      isTemporary = replacement.written == replacement.path
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: replacement.written))
      defer { try? file.close() }
      let failure = try await writeRecords(of: path, as: key, to: LineWriter(file))
      guard try self.states(of: path) == states else {
        throw Passing(failure: CommandFailure(.unavailable, "\(path): changed while it was read"))
      }
      try Task.checkCancellation()
      if isTemporary, !FileManager.default.fileExists(atPath: replacement.path) { throw Vanished() }
      isComplete = true
      return (failure, isTemporary ? replacement.path : nil)
    } catch let error where !(error is Passing || error is CancellationError) {
      if isTemporary, !FileManager.default.fileExists(atPath: replacement.path) { throw Vanished() }
      if error is OutputFailure { throw error }
      // A file that vanished is no fault of the output.
      if let failure = error as? CommandFailure, failure.status == .noInput { throw failure }
      throw OutputFailure(cause: error)
    }
  }

  /// Writes the records of each analysis after a line with its name, then a line for each that failed. The sound has the result's
  /// name instead of its path, which is not a part of the key.
  private func writeRecords(of path: String, as key: String, to writer: LineWriter) async throws -> CommandFailure? {
    func write(_ text: String) throws {
      do { try writer.write(text) } catch { throw OutputFailure(cause: error) }
    }
    var failures: [(String, CommandFailure)] = []
    for analysis in plan.analyses {
      let name = analysis.words.joined(separator: " ")
      try write(Self.line([("analysis", .string(name))]))
      do {
        let command = try analysis.command(for: path)
        var sound = try await command.opened()
        sound.name = key
        try await command.writeRecords(of: sound, to: write)
        try Task.checkCancellation()
        if let shortness = sound.shortness {
          try write(Self.line([("analysis", .string(name)), ("note", .string(shortness))]))
        }
      } catch let error where !(error is OutputFailure || error is CancellationError) {
        let failure = CommandFailure(error) ?? CommandFailure(.internal, "\(error)")
        // Malformed data and options that do not fit them are the same at every try.
        guard failure.status == .badData || failure.status == .usage else { throw Passing(failure: failure) }
        let message = failure.message.replacing(path, with: key)
        failures.append((name, CommandFailure(failure.status, message, advice: failure.advice)))
      }
    }
    for (name, failure) in failures {
      let error: [(String, Value)] = [
        ("code", .integer(Int64(failure.status.rawValue))), ("message", .string(failure.message)),
        ("advice", failure.advice.map(Value.string) ?? .absent),
      ]
      try write(Self.line([("analysis", .string(name)), ("error", .object(error))]))
    }
    return failures.last?.1
  }

  private static func line(_ fields: [(String, Value)]) -> String {
    var text = ByteText()
    text.append(json: .object([("v", .integer(1))] + fields))
    return text.string + "\n"
  }
}

/// A result that is there.
private struct StoredResult {
  /// The error in its last line.
  let failure: CommandFailure?

  private struct Line: Decodable {
    struct Failure: Decodable {
      let code: Int32
      let message: String
    }
    let v: Int
    let error: Failure?
  }

  /// - Returns: nil without a file whose last line is whole, as after a copy that was interrupted.
  init?(_ place: String) {
    guard let file = try? FileHandle(forReadingFrom: URL(fileURLWithPath: place)) else { return nil }
    defer { try? file.close() }
    guard let last = Self.lastLine(of: file), let line = try? JSONDecoder().decode(Line.self, from: last) else {
      return nil
    }
    failure = line.error.map { CommandFailure(ExitStatus(rawValue: $0.code) ?? .internal, $0.message) }
  }

  /// The last line, without its end; nil if it has none.
  private static func lastLine(of file: FileHandle) -> Data? {
    let size = (try? file.seekToEnd()) ?? 0
    var length: UInt64 = 65_536
    while true {
      guard (try? file.seek(toOffset: size - min(size, length))) != nil, let end = try? file.readToEnd(),
        end.last == UInt8(ascii: "\n")
      else { return nil }
      if let start = end.dropLast().lastIndex(of: UInt8(ascii: "\n")) { return end[(start + 1)...].dropLast() }
      if length >= size { return end.dropLast() }
      length *= 16
    }
  }
}
