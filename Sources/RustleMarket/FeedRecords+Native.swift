internal import RustleCore

extension ExactDecimal {
  init(_ units: Int64, _ scale: UInt8) { self.init(checked: units, Int(scale)) }
}

/// The sequence number of a trade whose source has none: `RUSTLE_NO_SEQUENCE`.
private let noSequence = UInt64.max

/// Appends the value of each record, and before it the gap that it reports. Inlined, so that the compiler specializes it.
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

extension TradeSide {
  /// 1 and 2; 0: none.
  fileprivate init?(_ native: UInt8) {
    switch native {
    case 1: self = .buy
    case 2: self = .sell
    default: return nil
    }
  }
}

extension Quote {
  fileprivate init?(_ record: NativeTrade) {
    guard record.hasQuote else { return nil }
    self.init(
      bid: ExactDecimal(record.bidUnits, record.bidScale), ask: ExactDecimal(record.askUnits, record.askScale),
      bidSize: ExactDecimal(record.bidSizeUnits, record.bidSizeScale),
      askSize: ExactDecimal(record.askSizeUnits, record.askSizeScale))
  }
}

extension FeedReader where Native == NativeTrade, Value == Trade {
  static var trades: Self {
    Self { records, names, buffer in
      append(records, to: &buffer) { record in
        Trade(
          symbol: names[record.symbol], price: ExactDecimal(record.priceUnits, record.priceScale),
          size: ExactDecimal(record.sizeUnits, record.sizeScale),
          time: Timestamp(nanosecondsSince1970: record.timeNanoseconds),
          sequence: record.sequence == noSequence ? nil : record.sequence, sequenceGap: record.sequenceGap,
          isOutOfOrder: record.isOutOfOrder, side: TradeSide(record.side), quote: Quote(record))
      }
    }
  }
}

extension FeedReader where Native == NativeCandle, Value == Candle {
  /// - Parameter interval: the duration with which the session is started.
  static func candles(_ interval: Duration) -> Self {
    let interval = interval.wholeNanoseconds
    return Self { records, names, buffer in
      append(records, to: &buffer) { record in
        let end = record.startNanoseconds.addingReportingOverflow(interval)
        return Candle(
          symbol: names[record.symbol], start: Timestamp(nanosecondsSince1970: record.startNanoseconds),
          end: end.overflow ? .max : Timestamp(nanosecondsSince1970: end.partialValue),
          open: ExactDecimal(record.openUnits, record.openScale),
          high: ExactDecimal(record.highUnits, record.highScale),
          low: ExactDecimal(record.lowUnits, record.lowScale),
          close: ExactDecimal(record.closeUnits, record.closeScale),
          exactVolume: record.isVolumeExact ? ExactDecimal(record.volumeUnits, record.volumeScale) : nil,
          volume: record.volume, vwap: record.volume == 0 ? nil : record.vwap, tradeCount: record.count)
      }
    }
  }
}

extension FeedReader where Native == NativePriceStatistics, Value == PriceStatistics {
  static var statistics: Self {
    Self { records, names, buffer in
      append(records, to: &buffer) { record in
        PriceStatistics(
          symbol: names[record.symbol], time: Timestamp(nanosecondsSince1970: record.timeNanoseconds),
          tradeCount: record.count,
          mean: record.mean, variance: record.variance, lowest: ExactDecimal(record.minUnits, record.minScale),
          highest: ExactDecimal(record.maxUnits, record.maxScale),
          first: ExactDecimal(record.firstUnits, record.firstScale),
          last: ExactDecimal(record.lastUnits, record.lastScale))
      }
    }
  }
}

extension FeedReader where Native == NativePriceAlert, Value == PriceAlert {
  /// - Parameter thresholds: the list with which the session is started.
  static func alerts(_ thresholds: [PriceThreshold]) -> Self {
    Self { records, _, buffer in
      append(records, to: &buffer) { record in
        PriceAlert(
          threshold: thresholds[record.threshold], index: record.threshold,
          price: ExactDecimal(record.priceUnits, record.priceScale),
          time: Timestamp(nanosecondsSince1970: record.timeNanoseconds))
      }
    }
  }
}

extension FeedReader where Native == NativeFeedNotice, Value == FeedNotice {
  static var notices: Self {
    Self { records, _, buffer in
      append(records, to: &buffer) { record in
        FeedNotice(
          kind: FeedNotice.Kind(record.kind, record.count),
          time: Timestamp(nanosecondsSince1970: record.timeNanoseconds), text: record.text)
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
  ///   - kind: nil: unknown to this version.
  ///   - count: milliseconds or messages, by the kind.
  init(_ kind: NativeNotice?, _ count: UInt64) {
    self =
      switch kind {
      case .connecting: .connecting
      case .connected: .connected
      case .disconnected: .disconnected(retryAfter: .milliseconds(Int64(clamping: count)))
      case .malformed: .malformed(message: count)
      case .oversized: .oversized(messages: count)
      case .closed: .closed
      default: .other
      }
  }
}

extension FeedCounts {
  /// - Parameters:
  ///   - dropped: messages that the host's connection dropped.
  ///   - duplicates: trades that the host left out because they came before.
  init(_ native: NativeFeedCounts, dropped: UInt64, duplicates: UInt64) {
    self.init(
      bytes: native.bytes, messages: native.messages, trades: native.trades, malformed: native.malformed,
      oversized: native.oversized, others: native.others, gaps: native.gaps,
      sequenceNumbersInGaps: native.sequenceNumbersInGaps,
      duplicates: native.duplicates + duplicates, outOfOrder: native.outOfOrder, connections: native.connections,
      disconnections: native.disconnections, dropped: dropped)
  }
}
