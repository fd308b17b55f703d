internal import CRustle
internal import Synchronization

/// The names of a feed's symbols by their numbers, fetched once each.
///
/// One task reads a stream at a time, but the type does not enforce it: a reader takes the list out and puts it back. A second
/// reader that finds it taken begins its own list. `Synchronization.Mutex` is not an option, as for ``OneShot``.
final class SymbolNames: Sendable {
  /// The address of the list, retained; 0 while a reader has it.
  private let slot = Atomic<UInt>(0)

  init() {}

  deinit {
    let address = slot.load(ordering: .acquiring)
    if address != 0 { _ = List.adopt(address) }
  }

  /// Returns the names, at least up to `number`, which a record of `session` has; -1 for none.
  func names(through number: Int, of session: SessionID) -> [String] {
    let taken = slot.exchange(0, ordering: .acquiringAndReleasing)
    let list = taken == 0 ? List() : List.adopt(taken)
    // A name is available before the first record with its number.
    while list.names.count <= number, let name = Self.name(list.names.count, of: session) { list.names.append(name) }
    var names = list.names
    let other = slot.exchange(list.retainedAddress(), ordering: .acquiringAndReleasing)
    if other != 0 { _ = List.adopt(other) }
    // After an error, which was logged; the next record asks again.
    while names.count <= number { names.append("") }
    return names
  }

  private static func name(_ number: Int, of session: SessionID) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(RUSTLE_SYMBOL_CAPACITY))
    let length = NativeError.logging { () throws(NativeError) in
      var room = bytes.mutableSpan
      return try NativeCalls.feedSymbol(session.raw, number: number, name: &room)
    }
    return length.map { String(decoding: bytes.prefix($0), as: UTF8.self) }
  }

  /// A list, owned by the one thread that took it out of the slot.
  private final class List: Addressed {
    var names: [String] = []
  }
}
