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
    runs.perform(run) { [browser] () async throws(LightingError) in
      try await browser.nodes()
    } show: { [weak self] node in
      // An index has one node: a new one replaces one that was lost.
      self?.nodes.place(node, by: \.index)
    } end: { [weak self] result in
      self?.isRunning = false
      if case .failure(let error) = result { self?.error = error }
    }
  }

  /// Ends the polling and returns when the network is closed; the nodes stay.
  public func stop() async {
    runs.overtake()
    isRunning = false
    await runs.finished()
  }
}
