import RustleCore
import RustleLighting
import TestSupport
import Testing

@MainActor
@Suite(.releasesNativeObjects) struct NodeViewModelTests {
  private let runtime: NativeRuntime
  private let demo: NodeRadioConfiguration
  private let settings = NodeSettings(name: "left", ssid: "stage", password: .open, universe: 2, start: 401)

  init() throws {
    runtime = try NativeRuntime(wallMilliseconds: 0)
    var demo = NodeRadioConfiguration()
    demo.adapter = NodeRadioConfiguration.demoAdapter
    self.demo = demo
  }

  /// Moves the clock until something is so.
  private func advance(until isSo: () -> Bool) async {
    while !isSo() {
      runtime.advance(nanoseconds: 10_000_000)
      await Task.yield()
    }
  }

  @Test func nodesAreShownByTheirSignal() async throws {
    let model = NodeScannerViewModel(try NodeScanner(demo, runtime: runtime))
    model.start()
    #expect(model.isRunning)
    await advance { (model.nodes.map(\.sequence).max() ?? 0) > 20 }
    #expect(model.nodes.map(\.name) == (1...4).map { "ChromaDMX-000\($0)" } && model.error == nil)
    await model.stop()
    #expect(!model.isRunning && model.nodes.count == 4 && model.error == nil)
  }

  @Test func attemptIsShownToItsEnd() async throws {
    let model = NodeProvisionerViewModel(try NodeProvisioner(demo, runtime: runtime))
    model.provision("ChromaDMX-0001", with: settings)
    #expect(model.isRunning)
    await advance { !model.isRunning }
    #expect(model.updates.map(\.state) == [.success] && model.error == nil)
    model.provision(table: "node,name,universe,start\nChromaDMX-0001,a,1,1\nChromaDMX-0002,b,1,20\n", with: settings)
    await advance { !model.isRunning }
    #expect(model.updates.map(\.state) == [.success, .success] && model.updates.map(\.index) == [0, 1])
  }

  @Test func refusalsAreShown() async throws {
    let model = NodeProvisionerViewModel(try NodeProvisioner(demo, runtime: runtime))
    var bad = settings
    bad.start = 513
    model.provision(with: bad)
    await advance { !model.isRunning }
    #expect(model.error?.code == .validation && model.updates.isEmpty)
  }

  @Test func stopEndsAnAttemptWhenTheNodeIsDisconnected() async throws {
    let model = NodeProvisionerViewModel(try NodeProvisioner(demo, runtime: runtime))
    model.provision(with: settings)
    await advance { model.updates.first?.state == .connecting }
    let clock = Task { [runtime] in
      while !Task.isCancelled {
        runtime.advance(nanoseconds: 10_000_000)
        await Task.yield()
      }
    }
    await model.stop()
    clock.cancel()
    #expect(!model.isRunning && model.updates.first?.state.isLast == false)
    #expect(await model.provisioner.liveStreamCount == 0)
  }
}
