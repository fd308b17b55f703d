public import Observation
internal import RustleCore

/// The nodes of Art-Net for a view.
@MainActor
@Observable
public final class DMXNodesViewModel {
  /// The nodes, in the order in which they were found.
  public private(set) var nodes: [DMXNode] = []
  /// Whether it polls.
  public private(set) var isRunning = false
  /// The error that prevented the start or ended the polling; nil: none did.
  public private(set) var error: LightingError?

  /// The browser.
  @ObservationIgnored public let browser: DMXNodes
  @ObservationIgnored private let runs = Runs()

  /// Creates a model of a browser that is not started.
  public init(_ browser: DMXNodes) { self.browser = browser }

  /// Opens the network; does nothing while it polls. Nodes of an earlier run are forgotten.
  public func start() {
    if isRunning { return }
    let run = runs.overtake()
    (nodes, isRunning, error) = ([], true, nil)
    runs.perform(run) { [weak self, browser] in
      var refusal: LightingError?
      do throws(LightingError) {
        for await element in try await browser.nodes() {
          guard let self, runs.newest == run else { return }
          if let node = element.value { show(node) }
        }
      } catch {
        refusal = error
      }
      guard let self, runs.newest == run else { return }
      (isRunning, error) = (false, refusal)
    }
  }

  /// Ends the polling and returns when the network is closed; the nodes stay.
  public func stop() async {
    runs.overtake()
    isRunning = false
    await runs.finished()
  }

  /// An index has one node: a new one replaces one that was lost.
  private func show(_ node: DMXNode) {
    if let row = nodes.firstIndex(where: { $0.index >= node.index }) {
      if nodes[row].index == node.index { nodes[row] = node } else { nodes.insert(node, at: row) }
    } else {
      nodes.append(node)
    }
  }
}
