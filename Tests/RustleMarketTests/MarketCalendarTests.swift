import Foundation
import TestSupport
import Testing

@testable import RustleMarket

@Suite(.releasesNativeObjects) struct MarketCalendarTests {
  private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

  /// The bounds of the period with a time, as texts in UTC.
  private func bounds(_ calendar: MarketCalendar, _ period: MarketCalendar.Period, _ text: String) throws -> String? {
    try calendar.bounds(of: time(text), period).map {
      "\($0.lowerBound.rfc3339(fractionDigits: 0)) \($0.upperBound.rfc3339(fractionDigits: 0))"
    }
  }

  @Test func daysBeginAtLocalMidnightWhateverTheClockDoes() throws {
    let berlin = try MarketCalendar(zone: "Europe/Berlin")
    let days = [
      // 23 and 25 hours.
      ("2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z 2026-03-29T22:00:00Z"),
      ("2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z 2026-10-25T23:00:00Z"),
      ("2026-10-25T22:59:59Z", "2026-10-24T22:00:00Z 2026-10-25T23:00:00Z"),
      ("2026-10-25T23:00:00Z", "2026-10-25T23:00:00Z 2026-10-26T23:00:00Z"),
      ("1969-12-31T23:30:00Z", "1969-12-31T23:00:00Z 1970-01-01T23:00:00Z"),
    ]
    for (time, expected) in days { #expect(try bounds(berlin, .day, time) == expected) }
    // In Santiago the clock skips midnight: that day begins at its first instant.
    let santiago = try MarketCalendar(zone: "America/Santiago")
    #expect(try bounds(santiago, .day, "2023-09-03T12:00:00Z") == "2023-09-03T04:00:00Z 2023-09-04T03:00:00Z")
  }

  @Test func weeksBeginOnMonday() throws {
    let utc = try MarketCalendar()
    for time in ["2026-11-23T00:00:00Z", "2026-11-29T23:59:59Z"] {
      #expect(try bounds(utc, .week, time) == "2026-11-23T00:00:00Z 2026-11-30T00:00:00Z")
    }
    #expect(try bounds(utc, .week, "1970-01-01T00:00:00Z") == "1969-12-29T00:00:00Z 1970-01-05T00:00:00Z")
  }

  @Test func sessionsHaveHoursAndDays() throws {
    let exchange = try MarketCalendar(zone: "America/New_York", session: MarketSession("mon-fri/09:30-16:00"))
    let session = "2026-11-23T14:30:00Z 2026-11-23T21:00:00Z"
    #expect(try bounds(exchange, .day, "2026-11-23T14:30:00Z") == session)
    #expect(try bounds(exchange, .day, "2026-11-23T20:59:59Z") == session)
    for time in ["2026-11-23T14:29:59Z", "2026-11-23T21:00:00Z", "2026-11-22T15:00:00Z"] {
      #expect(try bounds(exchange, .day, time) == nil)
    }
    #expect(try bounds(exchange, .week, "2026-11-25T15:00:00Z") == "2026-11-23T14:30:00Z 2026-11-30T05:00:00Z")
    let four = MarketCalendar.Period.interval(.seconds(4 * 3_600))
    #expect(try bounds(exchange, four, "2026-11-23T18:29:59Z") == "2026-11-23T14:30:00Z 2026-11-23T18:30:00Z")
    #expect(try bounds(exchange, four, "2026-11-23T18:30:00Z") == "2026-11-23T18:30:00Z 2026-11-23T21:00:00Z")
    // Overnight, from Sunday on.
    let futures = try MarketCalendar(zone: "America/Chicago", session: MarketSession("sun,mon-thu/17:00-16:00"))
    #expect(try bounds(futures, .day, "2026-11-23T05:00:00Z") == "2026-11-22T23:00:00Z 2026-11-23T22:00:00Z")
    #expect(try bounds(futures, .day, "2026-11-23T22:30:00Z") == nil)
  }

  @Test func weeksBeginWithTheirFirstSession() throws {
    let futures = try MarketCalendar(zone: "America/Chicago", session: MarketSession("sun-thu/18:00-17:00"))
    let week = "2026-11-23T00:00:00Z 2026-11-30T00:00:00Z"
    // Sunday evening, Monday and Friday.
    for time in ["2026-11-23T00:00:00Z", "2026-11-23T05:59:00Z", "2026-11-23T06:00:00Z", "2026-11-27T22:59:00Z"] {
      #expect(try bounds(futures, .week, time) == week)
    }
    #expect(try bounds(futures, .week, "2026-11-22T23:59:00Z") == nil)
    // A session until midnight is one of its own day.
    let evenings = try MarketCalendar(session: MarketSession("sun/18:00-00:00"))
    #expect(try bounds(evenings, .week, "2026-11-29T23:00:00Z") == "2026-11-29T18:00:00Z 2026-11-30T00:00:00Z")
  }

  @Test func anHourThatRepeatsAcrossMidnightIsOfTheSecondDay() throws {
    let calendar = try MarketCalendar(zone: "America/St_Johns")
    // At 00:01 the clock was set back to 23:01 of the day before.
    for time in ["2010-11-07T02:30:00Z", "2010-11-07T02:31:00Z", "2010-11-07T03:29:00Z", "2010-11-07T03:31:00Z"] {
      #expect(try bounds(calendar, .day, time) == "2010-11-07T02:30:00Z 2010-11-08T03:30:00Z")
    }
    #expect(try bounds(calendar, .day, "2010-11-07T02:29:59Z") == "2010-11-06T02:30:00Z 2010-11-07T02:30:00Z")
  }

  @Test(arguments: ["UTC", "America/New_York", "America/St_Johns", "America/Santiago", "Australia/Lord_Howe"])
  func everyTimeOfAPeriodHasItsBounds(zone: String) throws {
    let sessions: [String?] = [
      nil, "mon-fri/09:30-16:00", "sun-thu/18:00-17:00", "18:00-17:00", "09:00-02:00", "00:00-00:00", "sun/20:00-02:00",
      "mon,sat,sun/23:00-22:59", "sun/00:00-24:00",
    ]
    for session in sessions {
      let calendar = try MarketCalendar(zone: zone, session: session.map { try #require(MarketSession($0)) })
      for period in [MarketCalendar.Period.day, .week, .interval(.seconds(4 * 3_600))] {
        var last: Range<Timestamp>?
        // The quarters of an hour of three days around each change of a clock in 2010.
        for begin in ["2010-03-13", "2010-04-03", "2010-10-02", "2010-10-09", "2010-11-06"] {
          let begin = try time("\(begin)T00:00:00Z")
          for quarter in 0..<3 * 96 {
            let now = begin + .seconds(900 * quarter)
            guard let bounds = calendar.bounds(of: now, period) else { continue }
            if !bounds.contains(now) { Issue.record("\(zone) \(session ?? "") \(period) \(now)") }
            if let last, bounds != last {
              #expect(last.upperBound <= bounds.lowerBound, "\(zone) \(session ?? "") \(period) \(now)")
            }
            last = bounds
          }
        }
      }
    }
  }

  @Test func sessionsAreRead() {
    #expect(MarketSession("fri-mon/18:00-24:00")?.days == [.fri, .sat, .sun, .mon])
    #expect(MarketSession("09:05-24:00")?.description == "mon,tue,wed,thu,fri,sat,sun/09:05-24:00")
    for text in [
      "", "mon/9:30-16:00", "mon/09:60-16:00", "x/09:00-10:00", "mon-/09:00-10:00", "mon/24:00-01:00",
      "mon-tue-wed/09:00-10:00", "mon,/09:00-10:00", "mon/09:00-24:01",
    ] {
      #expect(MarketSession(text) == nil, "\(text)")
    }
    #expect(throws: FeedError.self) { try MarketCalendar(zone: "Nowhere/Land") }
    #expect(MarketCalendar.Period("1w") == .week && MarketCalendar.Period("5m")?.description == "5m")
  }

  @Test func candlesOfAPeriodAreOne() throws {
    func candle(_ start: String, _ price: String, size: Double, symbol: String = "A") throws -> Candle {
      let json = """
        {"symbol":"\(symbol)","start":"\(start)","end":"\(start)","open":"\(price)","high":"\(price)5","low":"1.0",
        "close":"\(price)","exactVolume":"\(size)","volume":\(size),"vwap":\(price),"tradeCount":2}
        """
      return try JSONDecoder().decode(Candle.self, from: Data(json.utf8))
    }
    var days = CandleRollup(.day, in: try MarketCalendar(session: MarketSession("mon-fri/09:00-17:00")))
    #expect(try days.add(candle("2026-11-23T09:00:00Z", "2.0", size: 1)) == nil)
    #expect(try days.add(candle("2026-11-23T16:59:00Z", "3.0", size: 3)) == nil)
    #expect(try days.add(candle("2026-11-23T08:59:00Z", "7.0", size: 1, symbol: "B")) == nil)
    #expect(days.outsideCount == 2)
    let closed = try #require(try days.add(candle("2026-11-24T09:00:00Z", "4.0", size: 1)))
    #expect((closed.open, closed.close, closed.high, closed.low) == (2, 3, ExactDecimal("3.05"), 1))
    #expect(closed.tradeCount == 4 && closed.exactVolume == 4 && closed.vwap == 2.75)
    let (opens, closes) = (try time("2026-11-23T09:00:00Z"), try time("2026-11-23T17:00:00Z"))
    #expect(closed.start == opens && closed.end == closes)
    let last = days.finish()
    #expect(last.count == 1 && last[0].open == 4 && days.finish().isEmpty)
    // A week has hours without a session.
    var weeks = CandleRollup(.week, in: days.calendar)
    for (hour, size) in [("23T16", 1.0), ("23T17", 2), ("24T08", 4), ("27T09", 8)] {
      #expect(try weeks.add(candle("2026-11-\(hour):00:00Z", "2.0", size: size)) == nil)
    }
    #expect(weeks.outsideCount == 4 && weeks.finish().map(\.volume) == [9])
  }
}
