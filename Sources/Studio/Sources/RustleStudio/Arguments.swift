internal import Rustle
internal import StudioCore

/// The arguments of an action, checked.
struct Arguments {
  private let value: JSON
  /// Whether errors repeat none of them: a secret may stand in the wrong place.
  private let areSecret: Bool

  init(_ value: JSON, areSecret: Bool = false) { (self.value, self.areSecret) = (value, areSecret) }

  /// What an error says of an argument.
  private func got(_ key: String) -> String {
    areSecret ? "another value" : value[key] == .null ? "none" : value[key].text
  }

  subscript(key: String) -> JSON { value[key] }

  func number(_ key: String, in range: ClosedRange<Double>, default: Double? = nil) throws(ActionError) -> Double {
    if value[key] == .null, let `default` { return `default` }
    guard let number = value[key].number, range.contains(number) else {
      let bounds = "\(range.lowerBound) to \(range.upperBound)"
      throw ActionError("validation", "\(key): expected \(bounds), got \(got(key))")
    }
    return number
  }

  func integer(_ key: String, in range: ClosedRange<Int>, default: Int? = nil) throws(ActionError) -> Int {
    if value[key] == .null, let `default` { return `default` }
    guard let number = value[key].number, let integer = Int(exactly: number), range.contains(integer) else {
      throw ActionError(
        "validation",
        "\(key): expected an integer of \(range.lowerBound) to \(range.upperBound), got \(got(key))")
    }
    return integer
  }

  /// The time of a press in microseconds since the server's `start`; nil without one, and for one that cannot be: in the future, by a
  /// clock that is ahead, or more than ten seconds ago.
  func pressTime(_ key: String, since start: ContinuousClock.Instant) throws(ActionError) -> HostTime? {
    if value[key] == .null { return nil }
    let press = start + .microseconds(try integer(key, in: 0...(1 << 53)))
    guard (.zero ... .seconds(10)).contains(press.duration(to: .now)) else { return nil }
    return HostTime.at(press).time
  }

  func numbers(_ key: String, count: Int, in range: ClosedRange<Double>) throws(ActionError) -> [Double] {
    let numbers = value[key].array?.compactMap(\.number) ?? []
    guard numbers.count == count, numbers.allSatisfy(range.contains) else {
      throw ActionError("validation", "\(key): expected \(count) numbers of \(range.lowerBound) to \(range.upperBound)")
    }
    return numbers
  }

  func string(_ key: String, default: String? = nil) throws(ActionError) -> String {
    if value[key] == .null, let `default` { return `default` }
    guard let string = value[key].string else {
      throw ActionError("validation", "\(key): expected a text, got \(got(key))")
    }
    return string
  }

  func strings(
    _ key: String, count: ClosedRange<Int>, default: [String]
  ) throws(ActionError) -> [String] {
    if value[key] == .null { return `default` }
    guard let array = value[key].array, case let strings = array.compactMap(\.string), strings.count == array.count,
      count.contains(strings.count), Set(strings).count == strings.count
    else {
      throw ActionError(
        "validation",
        "\(key): expected \(count.lowerBound) to \(count.upperBound) different texts, got \(got(key))")
    }
    return strings
  }

  func bool(_ key: String, default: Bool? = nil) throws(ActionError) -> Bool {
    if value[key] == .null, let `default` { return `default` }
    guard let bool = value[key].bool else {
      throw ActionError("validation", "\(key): expected true or false, got \(got(key))")
    }
    return bool
  }
}
