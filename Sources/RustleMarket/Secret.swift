/// A text that neither `print` nor `dump` shows.
struct Secret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// What is shown in its place.
  static let mask = "(hidden)"

  let text: String

  var description: String { Self.mask }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension FeedServer.Access: CustomReflectable {
  /// The case, without the token.
  public var customMirror: Mirror {
    if case .token = self { return Mirror(self, children: ["token": Secret.mask], displayStyle: .enum) }
    return Mirror(self, children: [:], displayStyle: .enum)
  }
}
