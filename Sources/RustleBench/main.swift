import Foundation

/// The benchmarks by name; scripts/bench says what each measures. `streams` and `recording` are parts of `feeds`.
let benchmarks: [String: @Sendable () async throws -> Void] = [
  "boundary": Boundary.run, "feeds": Feeds.run, "streams": Feeds.manyFeeds, "recording": Recording.run,
  "latency": Latency.run,
  "transforms": Transforms.run,
]

/// Does what the arguments say; returns the exit status.
func work(_ arguments: [String]) async throws -> Int32 {
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

do {
  exit(try await work(Array(CommandLine.arguments.dropFirst())))
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(70)
}
