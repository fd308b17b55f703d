import Foundation
import Testing

/// A command of `rustle dmx` on the loopback that runs beside a test, with its lines of NDJSON. It is killed with the value.
struct DMXProcess: ~Copyable {
  let input = Pipe()
  private let output = Pipe()
  private let process: Process
  private var rest = Data()

  /// - Parameter words: the arguments after `dmx`, without the interface and the format; with `--duration`, so that a test that waits
  ///   in vain ends.
  init(_ words: [String], interface: String = "127.0.0.1") throws {
    process = try RustleProcess.start(
      ["dmx"] + words + ["--interface", interface, "--json"], input: input, output: output)
  }

  /// The next line that fulfils a condition; those before it are read.
  mutating func line(where isWanted: ([String: Any]) -> Bool = { _ in true }) throws -> [String: Any] {
    while true {
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let object = try JSONSerialization.jsonObject(with: rest[..<end]) as? [String: Any]
        rest = Data(rest[(end + 1)...])
        if let object, isWanted(object) { return object }
      }
      let bytes = output.fileHandleForReading.availableData
      try #require(!bytes.isEmpty, "the command ended before the line")
      rest += bytes
    }
  }

  /// Ends the command by a signal, and returns its status.
  borrowing func end(_ number: Int32) -> Int32 {
    kill(process.processIdentifier, number)
    _ = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// As ``end(_:)``, and the last line.
  mutating func lastLine(after number: Int32) throws -> (status: Int32, line: [String: Any]) {
    kill(process.processIdentifier, number)
    rest += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let line = try #require(rest.split(separator: UInt8(ascii: "\n")).last)
    return (process.terminationStatus, try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any]))
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
