import Dispatch
import Foundation

// RustleCrossings CASE COUNT: makes the crossings of one case, for scripts/instructions.py.

@Sendable func work(_ arguments: [String]) async throws -> Int32 {
  guard arguments.count == 2, let count = Int(arguments[1]), try await Crossings.run(arguments[0], count: count) else {
    FileHandle.standardError.write(Data("error: expected CASE COUNT, got: \(arguments)\n".utf8))
    return 64
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
