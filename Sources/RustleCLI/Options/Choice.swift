internal import ArgumentParser

/// A value of the libraries as an option spells it: by its name there, in any case.
struct Choice<Value: RawRepresentable<String> & CaseIterable & Sendable>: ExpressibleByArgument, Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }

  init?(argument: String) {
    guard let value = Value.allCases.first(where: { $0.rawValue.lowercased() == argument.lowercased() }) else {
      return nil
    }
    self.value = value
  }

  static var allValueStrings: [String] { Value.allCases.map(\.rawValue) }
  var defaultValueDescription: String { value.rawValue }
}
