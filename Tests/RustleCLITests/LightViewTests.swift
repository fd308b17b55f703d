import RustleCore
import RustleLighting
import RustlePlot
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct LightViewTests {
  /// Also those between two reports.
  @Test func eachPressOfAKeyCounts() async throws {
    let runtime = try NativeRuntime(wallMilliseconds: 0)
    let controller = LightingController(try LightShow(demo: .pars), runtime: runtime)
    let reports = try await controller.start()
    let screen = LiveScreen(hasKeys: true, session: TerminalSession(output: -1, input: nil) { _ in }) {
      TickerViewTests.profile(columns: 80)
    }
    let view = LightView(controller, view: .front, screen: screen)
    for key in "+++++-bbb".map(Key.letter) + [.pause, .pause] { #expect(try await !view.press(key)) }
    runtime.advance(nanoseconds: 2_000_000_000)
    await controller.stop()
    var last: LightingReport?
    for await element in reports { last = element.value ?? last }
    let report = try #require(last)
    #expect(report.tempo == 124 && report.isBlackout && !report.isPaused)
  }
}
