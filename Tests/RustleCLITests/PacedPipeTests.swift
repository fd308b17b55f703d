#if os(Linux)
import Foundation
import TestSupport
import Testing

/// The CPU time of a process that replays what it is sent, at its pace. The pace is the clock: nothing depends on how fast it is.
@Suite(.releasesNativeObjects) struct PacedPipeTests {
  /// The process's CPU time so far, in ticks of 10 ms (proc_pid_stat(5), fields 14 and 15).
  private func ticks(of process: Process) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
    // The name is in parentheses and may have spaces.
    let fields = try #require(text.lastIndex(of: ")").map { text[$0...].split(separator: " ") })
    return try #require(Int(fields[12])) + (try #require(Int(fields[13])))
  }

  /// Each line came with a wake, and each wake added a deadline to those of the session: the time for a line grew with their
  /// number, from 14 to 57 % of a core within 20 s.
  @Test func aPipesLinesTakeAsMuchTimeLateAsEarly() throws {
    let (input, output) = (Pipe(), Pipe())
    let process = try RustleProcess.start(
      ["ticker", "--replay", "-", "--input", "ndjson", "--json", "-q"], input: input, output: output)
    defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    var (sent, received) = (0, 0)
    /// Sends lines, of which at most 32 have not come back.
    func replay(to count: Int) throws {
      while received < count {
        while sent < received + 32 {
          sent += 1
          let line = "{\"symbol\":\"A\",\"price\":\(sent),\"t_ns\":\(500_000 * sent)}\n"
          try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
        }
        let data = output.fileHandleForReading.availableData
        try #require(!data.isEmpty, "the command is there")
        received += data.count { $0 == 10 }
      }
    }
    func spent(from start: Int, to end: Int) throws -> Int {
      try replay(to: start)
      let before = try ticks(of: process)
      try replay(to: end)
      return try ticks(of: process) - before
    }
    let early = try spent(from: 1_000, to: 2_500)
    let late = try spent(from: 8_500, to: 10_000)
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    // With the fault it was three times as much.
    #expect(late <= 2 * early + 3, "\(early) ticks for 1,500 lines, and \(late) for 1,500 later ones")
  }
}
#endif
