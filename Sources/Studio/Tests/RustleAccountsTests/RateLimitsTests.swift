import Testing

@testable import RustleAccounts

struct RateLimitsTests {
  private let clock = TestClock()

  private func wait(_ limits: RateLimits, _ wanted: (LimitedAction, String)...) -> Int? {
    do { try limits.take(wanted.map { (action: $0.0, key: $0.1) }) } catch {
      return (error as? AccountRefusal)?.retryAfter
    }
    return nil
  }

  @Test func fiveTriesAndThenOneInTenSeconds() {
    let limits = RateLimits(now: { clock.now })
    for _ in 0..<5 { #expect(wait(limits, (.address, "a")) == nil) }
    #expect(wait(limits, (.address, "a")) == 10 && wait(limits, (.address, "b")) == nil)
    clock.advance(by: 9.5)
    #expect(wait(limits, (.address, "a")) == 1)
    clock.advance(by: 0.5)
    #expect(wait(limits, (.address, "a")) == nil && wait(limits, (.address, "a")) == 10)
  }

  @Test func bruteForceReachesTheHashElevenTimesAMinute() {
    let limits = RateLimits(now: { clock.now })
    var count = 0
    for _ in 0..<1_000 {
      if wait(limits, (.address, "a")) == nil { count += 1 }
      clock.advance(by: 0.06)
    }
    #expect(count == 10 || count == 11)
  }

  @Test(arguments: [(LimitedAction.network, 30, 60), (.signUp, 10, 3_600), (.mail, 3, 3_600), (.notice, 10, 3_600)])
  func noTimeHasMoreThanItsLimit(action: LimitedAction, most: Int, time: Int) {
    let limits = RateLimits(now: { clock.now })
    var taken: [Int] = []
    for second in 0..<(3 * time) {
      while wait(limits, (action, "n")) == nil { taken.append(second) }
      clock.advance(by: 1)
    }
    for first in taken { #expect(taken.count { (first..<(first + time)).contains($0) } <= most) }
    // Who comes later is not locked out.
    #expect(taken.contains { $0 >= 2 * time })
  }

  @Test func aRefusalTakesNothing() {
    let limits = RateLimits(now: { clock.now })
    for _ in 0..<20 { #expect(wait(limits, (.network, "n")) == nil) }
    for _ in 0..<9 { #expect(wait(limits, (.address, "a"), (.network, "n")) == 6) }
    for _ in 0..<5 { #expect(wait(limits, (.address, "a")) == nil) }
  }

  @Test func bucketsOutliveARestart() {
    let limits = RateLimits(now: { clock.now })
    for _ in 0..<5 { _ = wait(limits, (.address, "ada@example.org")) }
    #expect(limits.kept.count == 1 && !limits.kept.keys.contains { $0.contains("ada") })
    let again = RateLimits(buckets: limits.kept, now: { clock.now })
    #expect(wait(again, (.address, "ada@example.org")) == 10)
    clock.advance(by: 50)
    #expect(again.kept.isEmpty)
  }

  @Test func aClockThatIsSetBackLocksNobodyOut() {
    let limits = RateLimits(now: { clock.now })
    for _ in 0..<5 { _ = wait(limits, (.address, "a")) }
    clock.advance(by: -86_400)
    #expect(wait(limits, (.address, "a")) == 10)
    clock.advance(by: 10)
    #expect(wait(limits, (.address, "a")) == nil && wait(limits, (.address, "a")) == 10)
    // Nor over a restart.
    let again = RateLimits(buckets: limits.kept, now: { clock.now })
    clock.advance(by: -86_400)
    #expect(wait(again, (.address, "a")) == 10)
    clock.advance(by: 10)
    #expect(wait(again, (.address, "a")) == nil)
  }

  @Test func noLockOutlivesAnHour() {
    let limits = RateLimits([.signUp: RateLimit(burst: 1, period: 1e9)], now: { clock.now })
    #expect(wait(limits, (.signUp, "n")) == nil && wait(limits, (.signUp, "n")) == 3_600)
    clock.advance(by: 3_600)
    #expect(wait(limits, (.signUp, "n")) == nil)
  }

  @Test func whatCountsMoreWaitsLonger() throws {
    let limits = RateLimits([.read: RateLimit(burst: 10, period: 1)], now: { clock.now })
    func wait(_ count: Double) -> Int? {
      do { try limits.take([(.read, "a")], count: count) } catch { return (error as? AccountRefusal)?.retryAfter }
      return nil
    }
    // More than there ever are count as all.
    #expect(wait(25) == nil && wait(1) == 1 && wait(4) == 4 && wait(25) == 10)
    clock.advance(by: 4)
    #expect(wait(5) == 1 && wait(4) == nil && wait(1) == 1)
    let slow = RateLimits([.read: RateLimit(burst: 10, period: 3_600)], now: { clock.now })
    try slow.take([(.read, "a")], count: 10)
    clock.advance(by: 3_600)
    try slow.take([(.read, "a")], count: 10)
  }

  @Test func memoryIsBounded() {
    let limits = RateLimits(now: { clock.now })
    for index in 0..<(RateLimits.maximumCount + 10) { _ = wait(limits, (.address, "\(index)")) }
    #expect(limits.kept.count <= RateLimits.maximumCount)
  }

  @Test func limitsAreRead() {
    #expect(RateLimit("5:10") == RateLimit(burst: 5, period: 10) && RateLimit("1.5:0.05") != nil)
    for text in ["", "5", "0:1", "5:0", "5:-1", "a:b", "nan:1", "5:inf", "1:2:3"] {
      #expect(RateLimit(text) == nil, "\(text)")
    }
  }
}
