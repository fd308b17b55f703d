internal import RustleCore

extension ExactDecimal {
  init(_ native: NativeDecimal) { self.init(checked: native.units, Int(native.scale)) }

  var native: NativeDecimal { NativeDecimal(units: units, scale: UInt8(scale)) }
}

/// Appends the value of each record, and before it the gap that it tells of. Inlined, so that the compiler makes code for the types.
@inline(__always)
private func append<Native: NativeFeedElement, Value>(
  _ records: Span<Native>, to buffer: inout [StreamElement<Value>], _ value: (Native) -> Value
) {
  for index in records.indices {
    let record = records[index]
    if record.gap > 0 { buffer.append(.gap(record.gap)) }
    buffer.append(.value(value(record)))
  }
}

extension FeedReader where Native == NativeQuote, Value == Quote {
  static var quotes: Self {
    Self { records, names, buffer in
      append(records, to: &buffer) { record in
        Quote(
          symbol: names[record.symbol], price: ExactDecimal(record.price), size: ExactDecimal(record.size),
          timeNanoseconds: record.timeNanoseconds, sequence: record.sequence, skipped: record.skipped,
          isOutOfOrder: record.isOutOfOrder)
      }
    }
  }
}

extension FeedReader where Native == NativeCandle, Value == Candle {
  static var candles: Self {
    Self { records, names, buffer in
      append(records, to: &buffer) { record in
        Candle(
          symbol: names[record.symbol], startNanoseconds: record.startNanoseconds, open: ExactDecimal(record.open),
          high: ExactDecimal(record.high), low: ExactDecimal(record.low), close: ExactDecimal(record.close),
          exactVolume: record.exactVolume.map(ExactDecimal.init), volume: record.volume, count: record.count)
      }
    }
  }
}

extension FeedReader where Native == NativePriceStatistics, Value == PriceStatistics {
  static var statistics: Self {
    Self { records, names, buffer in
      append(records, to: &buffer) { record in
        PriceStatistics(
          symbol: names[record.symbol], timeNanoseconds: record.timeNanoseconds, count: record.count,
          mean: record.mean, variance: record.variance, lowest: ExactDecimal(record.lowest),
          highest: ExactDecimal(record.highest), first: ExactDecimal(record.first), last: ExactDecimal(record.last))
      }
    }
  }
}

extension FeedReader where Native == NativePriceAlert, Value == PriceAlert {
  /// - Parameter thresholds: the list that the session is started with.
  static func alerts(_ thresholds: [PriceThreshold]) -> Self {
    Self { records, _, buffer in
      append(records, to: &buffer) { record in
        PriceAlert(
          threshold: thresholds[record.threshold], index: record.threshold, price: ExactDecimal(record.price),
          timeNanoseconds: record.timeNanoseconds)
      }
    }
  }
}

extension FeedReader where Native == NativeFeedNotice, Value == FeedNotice {
  static var notices: Self {
    Self { records, _, buffer in
      append(records, to: &buffer) { record in
        FeedNotice(
          kind: FeedNotice.Kind(record.kind, record.count), timeNanoseconds: record.timeNanoseconds, text: record.text)
      }
    }
  }
}

extension FeedReader where Native == NativeFeedNotice, Value == FeedConnection {
  static var connections: Self {
    Self { records, _, buffer in append(records, to: &buffer) { FeedConnection($0) } }
  }
}

extension FeedNotice.Kind {
  /// - Parameters:
  ///   - number: of the header's `RUSTLE_NOTICE_…`.
  ///   - count: what it counts.
  init(_ number: UInt32, _ count: UInt64) {
    self =
      switch number {
      case 0: .connecting
      case 1: .connected
      case 2: .disconnected(retryMilliseconds: count)
      case 3: .malformed(message: count)
      case 4: .oversized(messages: count)
      case 5: .closed
      default: .other
      }
  }
}

extension FeedCounts {
  init(_ native: NativeFeedCounts) {
    self.init(
      bytes: native.bytes, messages: native.messages, quotes: native.quotes, malformed: native.malformed,
      oversized: native.oversized, others: native.others, gaps: native.gaps, skipped: native.skipped,
      duplicates: native.duplicates, outOfOrder: native.outOfOrder, connections: native.connections,
      disconnections: native.disconnections)
  }
}
