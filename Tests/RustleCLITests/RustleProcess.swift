import Foundation
import Testing

/// Runs the built `rustle` as its users do.
enum RustleProcess {
  struct Result {
    let status: Int32
    let output: String
    let errors: String
    let data: Data

    var lines: [Substring] { output.split(separator: "\n") }
  }

  struct NotBuilt: Error {
    let path: String
  }

  /// The executable, which the build puts beside the test bundle.
  static func executable() throws -> URL {
    // On Linux the bundle is an executable; on Apple systems it is a folder that this walks out of.
    var folder = URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
      folder = bundle.bundleURL.deletingLastPathComponent()
    }
    let url = folder.appending(path: "rustle")
    guard FileManager.default.isExecutableFile(atPath: url.path) else { throw NotBuilt(path: url.path) }
    return url
  }

  /// The variables that the tests' own terminal would otherwise decide, and the options of the sanitizer that the command
  /// was built with.
  private static let environment = [
    "LANG": "C.UTF-8", "TERM": "xterm-256color", "PATH": "/usr/bin:/bin", "COLUMNS": "80",
  ].merging(ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }) { $1 }

  /// Runs the command to its end. What a sanitizer reports of it fails the test, whatever status was expected.
  static func run(
    _ arguments: [String], input: Data = Data(), environment: [String: String] = [:]
  ) throws -> Result {
    try run(executable(), arguments, input: input, environment: environment)
  }

  /// Runs a line of bash in which `rustle` is the command.
  static func shell(_ line: String) throws -> Result {
    try run(
      URL(filePath: "/bin/bash"), ["-c", "rustle() { \"$RUSTLE\" \"$@\"; }; \(line)"],
      environment: ["RUSTLE": executable().path])
  }

  private static func run(
    _ url: URL, _ arguments: [String], input: Data = Data(), environment: [String: String]
  ) throws -> Result {
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    process.environment = Self.environment.merging(environment) { $1 }
    let (input, inputPipe) = (input, Pipe())
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = inputPipe
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // What the tests send fits into a pipe's buffer (64 KiB), or is read before anything is written.
    try? inputPipe.fileHandleForWriting.write(contentsOf: input)
    try? inputPipe.fileHandleForWriting.close()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let errorData = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: errorData, as: UTF8.self)
    if text.contains("Sanitizer: ") { Issue.record("\(arguments): \(text)") }
    return Result(
      status: process.terminationStatus, output: String(decoding: data, as: UTF8.self), errors: text, data: data)
  }

  /// Starts the command, by default without input; it is the caller's to end. Errors are not read.
  static func start(_ arguments: [String], input: Any = FileHandle.nullDevice, output: Any) throws -> Process {
    let process = Process()
    process.executableURL = try executable()
    process.arguments = arguments
    process.environment = environment
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Starts the command, waits for its first line of output, sends it a signal, and waits for its end.
  static func interrupt(_ arguments: [String], with number: Int32) throws -> Int32 {
    try interrupted(arguments, with: number).status
  }

  /// The same, and what was written to standard output and standard error.
  static func interrupted(
    _ arguments: [String], with number: Int32
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = try executable()
    process.arguments = arguments
    process.environment = environment
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    var data = output.fileHandleForReading.availableData
    kill(process.processIdentifier, number)
    data += output.fileHandleForReading.readDataToEndOfFile()
    let messages = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    return (status, String(decoding: data, as: UTF8.self), String(decoding: messages, as: UTF8.self))
  }
}
