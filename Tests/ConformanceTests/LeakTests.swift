import RustleCore
import TestSupport
import Testing

/// G12: every suite that uses native code carries the trait that counts the native objects after each test.
@Suite("G12: leaks", .releasesNativeObjects)
struct LeakTests {
  @Test("an object that a test leaves behind is reported")
  func plantedLeak() async throws {
    let here = #_sourceLocation
    var leaked: NativeRuntime?
    try await withKnownIssue {
      try await NativeObjects.expectNoneLeft(patience: .zero, location: here) {
        leaked = try NativeRuntime(wallMilliseconds: 0)
      }
    } matching: { issue in
      issue.comments.contains { $0.rawValue == "expected no native object to be left behind, got 1" }
    }
    #expect(leaked != nil)
    // The trait's own count follows: it must find nothing once the leaked object is freed.
    leaked = nil
  }
}
