internal import Rustle

/// The search for nodes of Art-Net, while a person wants it: it polls the network.
@MainActor
final class NodeSearch {
  /// The interface that is searched; nil: none is.
  private(set) var interface: String?
  /// The nodes in the order in which they were found; those of a search stay after its end.
  private(set) var nodes: [DMXNode] = []
  /// The error that ended the search.
  private(set) var failure: String?
  /// Is called when the state has changed by itself.
  var onChange: @MainActor () -> Void = {}

  private var search: DMXNodes?
  private var reading: Task<Void, Never>?

  /// Searches an interface: `demo`, a name, an address, or empty for that of the default route.
  func start(_ interface: String) async throws(LightingError) {
    var configuration = DMXNodesConfiguration()
    configuration.interface = interface
    let search = try DMXNodes(configuration)
    let found = try await search.nodes()
    await stop()
    (self.interface, self.search, nodes, failure) = (interface, search, [], nil)
    reading = Task { [weak self] in
      for await element in found { if let node = element.value { self?.show(node) } }
      self?.ended(search, found.outcome)
    }
  }

  /// Ends the search.
  func stop() async {
    let search = search
    (self.search, interface) = (nil, nil)
    await search?.cancel()
    await reading?.value
  }

  private func show(_ node: DMXNode) {
    // A new node takes the index of one that was lost.
    if let row = nodes.firstIndex(where: { $0.index == node.index }) { nodes[row] = node } else { nodes.append(node) }
    onChange()
  }

  private func ended(_ search: DMXNodes, _ outcome: SessionOutcome?) {
    guard search === self.search else { return }
    if case .failed(let reason) = outcome { failure = reason }
    (self.search, interface) = (nil, nil)
    onChange()
  }
}
