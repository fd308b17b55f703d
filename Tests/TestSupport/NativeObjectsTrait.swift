internal import Dispatch
internal import Foundation
internal import RustleCore
package import Testing

/// Runs each test of a suite while no other test uses native objects, and fails it when it leaves one behind.
///
/// The native side counts its objects for the whole process, so that a count is a test's own only when the test is alone:
/// every suite that uses native code carries this trait (scripts/lint looks), and their tests run one at a time. Suites
/// without it go on beside them. A test that hangs ends the process; the time that it waits for the others does not count, as
/// it would with Swift Testing's own time limit.
package struct NativeObjectsTrait: SuiteTrait, TestTrait, TestScoping {
  /// The trait of a suite applies to each test, and each argument, in it.
  package var isRecursive: Bool { true }

  /// The seconds that a test may take: many times what any does, in the long form of the races under ThreadSanitizer too.
  private static let patience = 1_200.0

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Gate.nativeObjects.enter()
    let watchdog = Self.watchdog(for: test)
    // The gate opens again however the test ends.
    let result: Result<Void, any Error>
    do {
      result = .success(try await NativeObjects.expectNoneLeft(location: test.sourceLocation, after: function))
    } catch {
      result = .failure(error)
    }
    watchdog.cancel()
    await Gate.nativeObjects.leave()
    try result.get()
  }

  /// Ends the process, which fails, unless it is cancelled in time: a test that hangs blocks all others.
  private static func watchdog(for test: Test) -> DispatchWorkItem {
    let name = "\(test.sourceLocation): \(test.name)"
    let watchdog = DispatchWorkItem {
      FileHandle.standardError.write(Data("\(name) did not end within \(patience) s\n".utf8))
      abort()
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + patience, execute: watchdog)
    return watchdog
  }
}

extension Trait where Self == NativeObjectsTrait {
  /// Each test leaves no native object behind; it has no other test that uses them beside it.
  package static var releasesNativeObjects: Self { Self() }
}

/// The count of the objects that the native side holds for this process.
package enum NativeObjects {
  /// How long releases may take that are under way when a test ends. Used up only by a test that fails.
  package static let patience = Duration.seconds(10)

  /// Runs `body` and records an issue when there is a native object afterwards.
  ///
  /// Workers release their sessions in their own time: the count is looked at until it is right, or for `patience`.
  package static func expectNoneLeft(
    patience: Duration = patience, location: SourceLocation, isolation: isolated (any Actor)? = #isolation,
    after body: () async throws -> Void
  ) async throws {
    try await body()
    let deadline = ContinuousClock.now + patience
    while NativeLibrary.liveObjects != 0, ContinuousClock.now < deadline { await Task.yield() }
    let left = NativeLibrary.liveObjects
    guard left != 0 else { return }
    Issue.record("expected no native object to be left behind, got \(left)", sourceLocation: location)
  }
}

/// Lets one task in at a time, in the order in which they came.
actor Gate {
  static let nativeObjects = Gate()

  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Returns once no other task is in.
  func enter() async {
    if !isTaken {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Lets the next one in.
  func leave() {
    if waiting.isEmpty {
      isTaken = false
    } else {
      waiting.removeFirst().resume()
    }
  }
}
