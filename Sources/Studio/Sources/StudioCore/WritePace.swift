/// When a client is written to: on average once in a pause at most, and where values keep coming, as one of them comes.
///
/// A timer alone would take a value at any time until the next one. So up to half of the pause before its end the next value is written
/// at once; only what nothing follows waits for the end. A write that is early puts off the one after it, but nothing waits for longer
/// than a pause: of a topic whose values come a little less often none is replaced. When they come unevenly, or the writer is late, a value
/// that comes before its predecessor was written, more than half of a pause after it, has both written at once: unless that is more than a
/// pause too early, or the writer was woken half of a pause ago, as that of a page which does not read.
public struct WritePace: Sendable {
  private var end: ContinuousClock.Instant
  /// Since when the writer is awake and has taken nothing.
  private var woken: ContinuousClock.Instant?
  /// Since when something waits.
  private var oldest: ContinuousClock.Instant?

  /// Creates a pace whose first write may be at a time.
  public init(from time: ContinuousClock.Instant) { end = time }

  /// Notes whether something waits at a time.
  public mutating func note(_ isWaiting: Bool, at time: ContinuousClock.Instant) {
    oldest = isWaiting ? oldest ?? time : nil
  }

  /// Whether something that comes now is written at once.
  public func isDue(at time: ContinuousClock.Instant, pause: Duration) -> Bool { time >= end - pause / 2 }

  /// Whether what waits is written now.
  public func isOver(at time: ContinuousClock.Instant, pause: Duration) -> Bool {
    time >= min(end, oldest.map { $0 + pause } ?? end)
  }

  /// The time between two values of a topic beyond which both are written, as the second one comes; nil: it replaces all before it.
  public func spacing(at time: ContinuousClock.Instant, pause: Duration) -> Duration? {
    let isRead = woken.map { time < $0 + pause / 2 } ?? true
    return isRead && time > end - pause ? pause / 2 : nil
  }

  /// Notes that the writer is woken, again or not.
  public mutating func wakes(at time: ContinuousClock.Instant) { woken = woken ?? time }

  /// Notes a write.
  public mutating func wrote(at time: ContinuousClock.Instant, pause: Duration) {
    (end, oldest, woken) = (max(end, time) + pause, nil, nil)
  }

  /// Notes that nothing waited as the writer was woken.
  public mutating func wroteNothing() { woken = nil }
}
