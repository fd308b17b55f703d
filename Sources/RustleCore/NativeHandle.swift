internal import CRustle

/// The one owner of a native object: a generational handle that is freed when its owner goes.
///
/// The handle is an integer, not a pointer: a copy of the number that outlives the object is refused by the native side
/// as stale, it cannot reach freed memory.
struct NativeHandle: ~Copyable, Sendable {
  let raw: UInt64
  private let free: @Sendable (UInt64) -> Void

  /// Takes over `raw`; `free` is called with it once, when this value goes.
  init(_ raw: UInt64, free: @escaping @Sendable (UInt64) -> Void) {
    self.raw = raw
    self.free = free
  }

  deinit { free(raw) }
}
