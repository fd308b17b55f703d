/// A moving picture to test lights with: the levels of a frame's universes, by the frame's number.
public enum DMXPattern: String, Sendable, Hashable, CaseIterable {
  /// Every slot rises by 1 in each frame, and each is 1 above the one before: all universes change in all frames.
  case ramp
  /// One slot of each universe is full, the next one in the next frame.
  case chase
  /// All slots are full.
  case solid
  /// Every slot has a random level, which follows from seed, frame, universe and slot.
  case random

  /// Writes a frame: `slots` of each universe, one universe after the other.
  ///
  /// - Parameters:
  ///   - frame: the frame's number, from 0.
  ///   - universes: the number of universes.
  ///   - slots: the slots of each, 1 to 512.
  ///   - seed: the seed of `random`.
  ///   - levels: receives them, in the place of what it has.
  public func write(frame: UInt64, universes: Int, slots: Int, seed: UInt64 = 0, to levels: inout [UInt8]) {
    levels.removeAll(keepingCapacity: true)
    for universe in 0..<universes {
      switch self {
      case .ramp:
        let first = UInt8(truncatingIfNeeded: frame &+ UInt64(universe))
        levels.append(contentsOf: (0..<slots).lazy.map { first &+ UInt8(truncatingIfNeeded: $0) })
      case .chase:
        levels.append(contentsOf: repeatElement(0, count: slots))
        levels[universe * slots + Int(frame % UInt64(slots))] = 255
      case .solid: levels.append(contentsOf: repeatElement(255, count: slots))
      case .random:
        let row = Self.mixed(seed ^ Self.mixed(frame ^ Self.mixed(UInt64(universe))))
        levels.append(contentsOf: (0..<slots).lazy.map { UInt8(Self.mixed(row &+ UInt64($0)) >> 56) })
      }
    }
  }

  /// Sebastiano Vigna's SplitMix64: each bit of the result depends on each of the number.
  private static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
