internal import RustleCore
package import RustleFiles

/// A record as a line of NDJSON or CSV: assembled as bytes, without a value for each field.
package protocol LineRecord: PriceRecord {
  /// The names of the columns of CSV, in order.
  static func csvHeader(_ style: LineStyle) -> String
  /// Appends a line of NDJSON, line break included.
  func appendJSON(_ style: LineStyle, to text: inout ByteText)
  /// Appends a row of CSV, line break included.
  func appendCSV(_ style: LineStyle, to text: inout ByteText)
}

/// What lines depend on beside their record.
package struct LineStyle: Sendable, Hashable {
  /// The duration of a window in nanoseconds; 0 for other records.
  package var interval: Int64
  /// Whether rows of candles have their durations, as candles of several.
  package var hasIntervals: Bool
  /// Whether times are in whole milliseconds, rounded down, and sizes are left out.
  package var isSimulated: Bool
  /// The period of candles as it was requested; nil: they do not have it.
  package var period: String?

  /// Creates a style.
  package init(
    interval: Int64 = 0, hasIntervals: Bool = false, isSimulated: Bool = false, period: String? = nil
  ) {
    (self.interval, self.hasIntervals, self.isSimulated, self.period) = (interval, hasIntervals, isSimulated, period)
  }
}

extension Trade: LineRecord {
  package static func csvHeader(_ style: LineStyle) -> String {
    style.isSimulated
      ? "symbol,price,t_ms,seq\n" : "symbol,price,size,t_ns,seq,side,bid,bid_size,ask,ask_size,mid,spread\n"
  }

  package func appendJSON(_ style: LineStyle, to text: inout ByteText) {
    text.append("{\"v\":1,\"symbol\":")
    text.append(json: symbol)
    text.append(",\"price\":")
    text.append(price)
    let nanoseconds = time.nanosecondsSince1970
    if style.isSimulated {
      text.append(",\"t_ms\":")
      text.append(nanoseconds / 1_000_000)
    } else {
      text.append(nanoseconds: nanoseconds, milli: ",\"t_ms\":", nano: ",\"t_ns\":")
    }
    if let sequence {
      text.append(",\"seq\":")
      text.append(sequence)
    }
    if style.isSimulated {
      text.append("}\n")
      return
    }
    if size.units != 0 {
      text.append(",\"size\":")
      text.append(size)
    }
    if let side { text.append(side == .buy ? ",\"side\":\"buy\"" : ",\"side\":\"sell\"") }
    if let quote {
      let names = [",\"bid\":", ",\"bid_size\":", ",\"ask\":", ",\"ask_size\":", ",\"mid\":", ",\"spread\":"]
      for case (let name, let number?) in zip(names, quote.numbers) {
        text.append(name)
        text.append(number)
      }
    }
    text.append("}\n")
  }

  package func appendCSV(_ style: LineStyle, to text: inout ByteText) {
    text.append(csv: symbol)
    text.appendComma()
    text.append(price)
    text.appendComma()
    if style.isSimulated {
      text.append(time.nanosecondsSince1970 / 1_000_000)
    } else {
      if size.units != 0 { text.append(size) }
      text.appendComma()
      text.append(time.nanosecondsSince1970)
    }
    text.appendComma()
    if let sequence { text.append(sequence) }
    if !style.isSimulated {
      text.appendComma()
      if let side { text.append(side.rawValue) }
      if let quote {
        for number in quote.numbers {
          text.appendComma()
          if let number { text.append(number) }
        }
      } else {
        text.append(",,,,,,")
      }
    }
    text.append("\n")
  }
}

extension Quote {
  /// Bid and its size, ask and its size, middle and spread; a size of 0 is absent.
  fileprivate var numbers: [ExactDecimal?] {
    func size(_ size: ExactDecimal) -> ExactDecimal? { size.units == 0 ? nil : size }
    return [bid, size(bidSize), ask, size(askSize), mid, spread]
  }
}

extension Candle: LineRecord {
  package static func csvHeader(_ style: LineStyle) -> String {
    "symbol,start_ns,\(style.hasIntervals ? "interval_ns," : "")open,high,low,close,volume,vwap,count\(style.period == nil ? "" : ",interval")\n"
  }

  private var nanoseconds: Int64 { (end - start).wholeNanoseconds }

  package func appendJSON(_ style: LineStyle, to text: inout ByteText) {
    text.append("{\"v\":1,\"symbol\":")
    text.append(json: symbol)
    text.append(",\"open\":")
    text.append(open)
    text.append(",\"high\":")
    text.append(high)
    text.append(",\"low\":")
    text.append(low)
    text.append(",\"close\":")
    text.append(close)
    text.append(",\"volume\":")
    appendVolume(to: &text)
    if let vwap {
      text.append(",\"vwap\":")
      text.append(json: vwap)
    }
    text.append(",\"count\":")
    text.append(tradeCount)
    text.append(nanoseconds: start.nanosecondsSince1970, milli: ",\"start_ms\":", nano: ",\"start_ns\":")
    text.append(nanoseconds: nanoseconds, milli: ",\"interval_ms\":", nano: ",\"interval_ns\":")
    if let period = style.period {
      text.append(",\"interval\":\"")
      text.append(period)
      text.append("\"")
    }
    text.append("}\n")
  }

  package func appendCSV(_ style: LineStyle, to text: inout ByteText) {
    text.append(csv: symbol)
    text.appendComma()
    text.append(start.nanosecondsSince1970)
    if style.hasIntervals {
      text.appendComma()
      text.append(nanoseconds)
    }
    text.appendComma()
    text.append(open)
    text.appendComma()
    text.append(high)
    text.appendComma()
    text.append(low)
    text.appendComma()
    text.append(close)
    text.appendComma()
    appendVolume(to: &text)
    text.appendComma()
    if let vwap { text.append(csv: vwap) }
    text.appendComma()
    text.append(tradeCount)
    if let period = style.period {
      text.appendComma()
      text.append(period)
    }
    text.append("\n")
  }

  /// Exact up to 18 digits.
  private func appendVolume(to text: inout ByteText) {
    if let exactVolume { text.append(exactVolume) } else { text.append(csv: volume) }
  }
}

extension PriceStatistics: LineRecord {
  package static func csvHeader(_ style: LineStyle) -> String {
    "symbol,t_ns,count,mean,sd,low,high,first,last\n"
  }

  package func appendJSON(_ style: LineStyle, to text: inout ByteText) {
    text.append("{\"v\":1,\"symbol\":")
    text.append(json: symbol)
    text.append(nanoseconds: time.nanosecondsSince1970, milli: ",\"t_ms\":", nano: ",\"t_ns\":")
    text.append(",\"count\":")
    text.append(tradeCount)
    text.append(",\"mean\":")
    text.append(json: mean)
    text.append(",\"sd\":")
    text.append(json: standardDeviation)
    text.append(",\"low\":")
    text.append(lowest)
    text.append(",\"high\":")
    text.append(highest)
    text.append(",\"first\":")
    text.append(first)
    text.append(",\"last\":")
    text.append(last)
    text.append(nanoseconds: style.interval, milli: ",\"window_ms\":", nano: ",\"window_ns\":")
    text.append("}\n")
  }

  package func appendCSV(_ style: LineStyle, to text: inout ByteText) {
    text.append(csv: symbol)
    text.appendComma()
    text.append(time.nanosecondsSince1970)
    text.appendComma()
    text.append(tradeCount)
    for number in [mean, standardDeviation] {
      text.appendComma()
      text.append(csv: number)
    }
    for price in [lowest, highest, first, last] {
      text.appendComma()
      text.append(price)
    }
    text.append("\n")
  }
}

extension ByteText {
  /// Appends every digit, trailing zeros included.
  package mutating func append(_ number: ExactDecimal) {
    if number.units < 0 { append("-") }
    append(digits: number.units.magnitude, fraction: number.scale)
  }

  /// Appends the line of an alert: a nested object, so that a reader of trades does not take it for one.
  package mutating func append(json alert: StreamElement<PriceAlert>) {
    append("{\"v\":1,\"alert\":{")
    switch alert {
    case .gap(let count):
      append("\"gap\":")
      append(count)
    case .value(let alert):
      append("\"symbol\":")
      append(json: alert.threshold.symbol)
      append(alert.threshold.direction == .above ? ",\"above\":" : ",\"below\":")
      append(alert.threshold.level)
      append(",\"price\":")
      append(alert.price)
      append(nanoseconds: alert.time.nanosecondsSince1970, milli: ",\"t_ms\":", nano: ",\"t_ns\":")
    }
    append("}}\n")
  }
}
