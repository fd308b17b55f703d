import Dispatch
import Foundation

/// The benchmarks by name; scripts/bench says what each measures. `streams` and `recording` are parts of `feeds`.
let benchmarks: [String: @Sendable () async throws -> Void] = [
  "boundary": Boundary.run, "feeds": Feeds.run, "streams": Feeds.manyFeeds, "recording": Recording.run,
  "latency": Latency.run,
  "transforms": Transforms.run,
]

/// Does what the arguments say; returns the exit status.
@Sendable func work(_ arguments: [String]) async throws -> Int32 {
  // For scripts/instructions.py.
  if arguments.count == 3, arguments[0] == "count", let count = Int(arguments[2]) {
    return try await Counted.run(arguments[1], count: count) ? 0 : 64
  }
  for name in arguments {
    guard let benchmark = benchmarks[name] else {
      let known = benchmarks.keys.sorted().joined(separator: ", ")
      FileHandle.standardError.write(Data("error: expected a benchmark (\(known)), got: \(name)\n".utf8))
      return 64
    }
    try await benchmark()
  }
  return 0
}

// The main thread waits in the ordinary way: valgrind 3.19 does not survive the end of the main thread with which an
// asynchronous main function begins.
let arguments = Array(CommandLine.arguments.dropFirst())
let done = DispatchSemaphore(value: 0)
Task.detached {
  do {
    exit(try await work(arguments))
  } catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(70)
  }
}
done.wait()
