/// The levels of a universe's first slots: 1 to 512, each 0 to 255.
///
/// ```swift
/// var levels = DMXLevels(slots: 24)
/// levels[1] = 255
/// try levels.setFine(0.5, at: 2)  // 16 bits: slots 2 and 3
/// ```
public struct DMXLevels: Sendable, Hashable {
  /// The levels; that of slot 1 is the first.
  public private(set) var bytes: [UInt8]

  /// The slots of a whole universe.
  public static let maximumSlotCount = 512

  /// Creates levels of 0 for 1 to 512 slots; other numbers are clamped.
  public init(slots: Int = maximumSlotCount, at level: UInt8 = 0) {
    bytes = Array(repeating: level, count: max(1, min(slots, Self.maximumSlotCount)))
  }

  /// - Throws: ``LightingError`` with ``LightingError/Code/validation`` for none or more than 512.
  public init(_ bytes: [UInt8]) throws(LightingError) {
    guard (1...Self.maximumSlotCount).contains(bytes.count) else {
      throw .validation("levels", expected: "1 to \(Self.maximumSlotCount) slots", got: "\(bytes.count)")
    }
    self.bytes = bytes
  }

  /// The level of a slot, which is numbered from 1 and exists.
  public subscript(slot: Int) -> UInt8 {
    get { bytes[slot - 1] }
    set { bytes[slot - 1] = newValue }
  }

  /// Sets a fixture's channel of 16 bits, 0 to 1: the coarse slot, and the fine one after it.
  ///
  /// - Throws: ``LightingError`` with ``LightingError/Code/validation`` for a value outside its range, or slots that are not there.
  public mutating func setFine(_ value: Double, at slot: Int) throws(LightingError) {
    guard (0...1).contains(value) else { throw .validation("value", expected: "0 to 1", got: "\(value)") }
    guard slot >= 1, slot < bytes.count else {
      throw .validation("slot", expected: "1 to \(bytes.count - 1), before a fine one", got: "\(slot)")
    }
    let whole = UInt16((value * 65_535).rounded())
    self[slot] = UInt8(whole >> 8)
    self[slot + 1] = UInt8(whole & 255)
  }
}
