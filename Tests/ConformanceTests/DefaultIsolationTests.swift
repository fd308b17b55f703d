import Testing

/// The isolation of a function that declares none.
private func isolationByDefault() async -> (any Actor)? { #isolation }

/// G16: this suite is compiled twice, in ConformanceTests without a default isolation and in IsolationTests (a link to the
/// same folder) with the main actor as the default, as an application's module may have it.
@Suite("G16: default isolation")
struct DefaultIsolationTests {
  @Test("this target's default isolation is the one that the package says")
  func defaultIsolation() async {
    #if MAIN_ACTOR_BY_DEFAULT
    #expect(await isolationByDefault() === MainActor.shared)
    #else
    #expect(await isolationByDefault() == nil)
    #endif
  }
}
