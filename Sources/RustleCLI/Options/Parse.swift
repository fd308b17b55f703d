internal import ArgumentParser
import Foundation
import RustleAudio
import RustleCore
import RustleMarket
import RustlePlot

/// Parsers of option values; their errors name the expected and the given value.
enum Parse {
  /// A number in a range, in the unit that `what` names: `"seconds"`.
  static func number(
    _ what: String, in range: ClosedRange<Double>
  ) -> @Sendable (String) throws -> Double {
    @Sendable func bound(_ value: Double) -> String { Numbers.plain(value, digits: 12) }
    return value("\(what) from \(bound(range.lowerBound)) to \(bound(range.upperBound))") {
      Double($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  static func integer(_ what: String, in range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
    value("\(what) from \(range.lowerBound) to \(range.upperBound)") {
      Int($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  static func powerOfTwo(in range: ClosedRange<Int>) -> @Sendable (String) throws -> Int {
    value("a power of two from \(range.lowerBound) to \(range.upperBound)") {
      Int($0).flatMap { range.contains($0) && $0 & ($0 - 1) == 0 ? $0 : nil }
    }
  }

  /// A value that `parse` makes of the text, or nil. What is expected is said of a fault alone: each command makes the parsers of all
  /// its options.
  static func value<Value>(
    _ expected: @escaping @autoclosure @Sendable () -> String, _ parse: @escaping @Sendable (String) -> Value?
  ) -> @Sendable (String) throws -> Value {
    { text in
      guard let value = parse(text) else { throw ValidationError("expected \(expected()), got '\(text)'") }
      return value
    }
  }

  static let time = value(
    "a time such as 2026-01-31T09:30:00Z, a date, or milliseconds since 1970", Timestamp.init(written:))

  /// An interval of market data: `250ms`.
  static func interval(_ what: String, allowsZero: Bool = false) -> @Sendable (String) throws -> Duration {
    { text in
      if allowsZero, text.wholeMatch(of: /0+(ns|us|ms|s|m|h|d)?/) != nil { return .zero }
      return try value("\(what) such as 250ms, 5s, 1m, 1h or 1d") { MarketInterval($0) }(text).duration
    }
  }

  /// Rejects the first fault.
  static func reject(_ faults: (isFault: Bool, message: String)...) throws {
    for case (true, let message) in faults { throw ValidationError(message) }
  }

  static let sampleRate = integer("a sample rate in Hz", in: 1...768_000)
  static let channels = integer("a number of channels", in: 1...AudioFormat.maximumChannelCount)

  /// A note with its octave: `A4`.
  static let note = rethrowing { try Note(parsing: $0) }
  /// A note without an octave: `D`.
  static let noteName = rethrowing { try NoteName(parsing: $0) }

  /// A band of the equalizer: `L:1000:-3:2`.
  static let band = rethrowing { try EqualizerSettings(band: $0) }

  /// Gains of the equalizer's graphic bands: `0,3,-2`...
  static let gains = rethrowing { try EqualizerSettings.gains(of: $0) }

  private static func rethrowing<Value>(
    _ parse: @escaping @Sendable (String) throws -> Value
  ) -> @Sendable (String) throws -> Value { { text in try checked { try parse(text) } } }

  /// Returns the result of `make`; an error of a library is one of the usage.
  static func checked<Value>(of option: String = "", _ make: () throws -> Value) throws -> Value {
    do { return try make() } catch let error as any CodedError { throw ValidationError(option + error.message) }
  }
}

extension Sequence where Element: Hashable {
  /// The first element that equals an earlier one.
  var firstRepeated: Element? {
    var known: Set<Element> = []
    return first { !known.insert($0).inserted }
  }
}

extension Option {
  /// An option with a text, without a default.
  init(
    name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .unconditional, _ help: String,
    value: String? = nil, completion: CompletionKind? = nil
  ) where Value == String? {
    self.init(name: name, parsing: parsing, help: ArgumentHelp(help, valueName: value), completion: completion)
  }

  /// An option that can be repeated.
  init<Element>(
    wrappedValue: [Element], name: NameSpecification, _ help: String, value: String,
    parse: @escaping @Sendable (String) throws -> Element
  ) where Value == [Element] {
    self.init(
      wrappedValue: wrappedValue, name: name, parsing: .unconditionalSingleValue,
      help: ArgumentHelp(help, valueName: value), transform: parse)
  }

  /// An option with a value, which may begin with a minus sign; the help names its default.
  init(
    wrappedValue: Value, name: NameSpecification = .long, _ help: String, value: String? = nil,
    parse: @escaping @Sendable (String) throws -> Value
  ) {
    let given = (wrappedValue as? Double).map { Numbers.plain($0) } ?? "\(wrappedValue)"
    let help = help.contains("(default") ? help : "\(help) (default: \(given))"
    self.init(
      wrappedValue: wrappedValue, name: name, parsing: .unconditional, help: ArgumentHelp(help, valueName: value),
      transform: parse)
  }

  /// An option with a number, without a default.
  init<Number>(
    name: NameSpecification = .long, _ help: String, value: String? = nil,
    parse: @escaping @Sendable (String) throws -> Number
  ) where Value == Number? {
    self.init(name: name, parsing: .unconditional, help: ArgumentHelp(help, valueName: value), transform: parse)
  }
}
