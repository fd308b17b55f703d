#if NATS
/// A symbol by its bytes: texts may be equal that are written differently.
struct SymbolBytes: Hashable {
  private let text: String

  init(_ text: String) { self.text = text }

  static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  // Equal bytes are equal texts.
  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
#endif
