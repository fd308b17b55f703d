import Foundation

/// The benchmarks by name; scripts/bench says what each measures.
let benchmarks: [String: () async throws -> Void] = ["boundary": Boundary.run]

for name in CommandLine.arguments.dropFirst() {
  guard let benchmark = benchmarks[name] else {
    let known = benchmarks.keys.sorted().joined(separator: ", ")
    FileHandle.standardError.write(Data("error: expected a benchmark (\(known)), got: \(name)\n".utf8))
    exit(64)
  }
  try await benchmark()
}
