internal import CRustle

/// A decimal number: `units` × 10^-`scale`.
package struct NativeDecimal: Sendable, Hashable {
  package let units: Int64
  package let scale: UInt8

  package init(units: Int64, scale: UInt8) {
    self.units = units
    self.scale = scale
  }
}

/// A record of a feed.
package protocol NativeFeedElement: NativeElement {
  /// The number of its symbol; -1: it is of none.
  var symbol: Int { get }
}

/// A quote, as the native side gives it.
package struct NativeQuote: RecordElement, NativeFeedElement {
  package let symbol: Int
  package let price: NativeDecimal
  package let size: NativeDecimal
  package let timeNanoseconds: Int64
  /// nil when the source tells none.
  package let sequence: UInt64?
  package let skipped: UInt64
  package let isOutOfOrder: Bool
  package let gap: UInt64

  init(_ quote: RustleQuote) {
    symbol = Int(quote.symbol)
    price = NativeDecimal(units: quote.price_units, scale: quote.price_scale)
    size = NativeDecimal(units: quote.size_units, scale: quote.size_scale)
    timeNanoseconds = quote.time_ns
    sequence = quote.sequence == UInt64.max ? nil : quote.sequence
    skipped = quote.skipped
    isOutOfOrder = quote.is_out_of_order != 0
    gap = UInt64(quote.gap)
  }
}

/// A candle, as the native side gives it.
package struct NativeCandle: RecordElement, NativeFeedElement {
  package let symbol: Int
  package let startNanoseconds: Int64
  package let open: NativeDecimal
  package let high: NativeDecimal
  package let low: NativeDecimal
  package let close: NativeDecimal
  /// nil when the sum has more than 18 digits.
  package let exactVolume: NativeDecimal?
  package let volume: Double
  package let count: UInt64
  package let gap: UInt64

  init(_ candle: RustleCandle) {
    symbol = Int(candle.symbol)
    startNanoseconds = candle.start_ns
    open = NativeDecimal(units: candle.open_units, scale: candle.open_scale)
    high = NativeDecimal(units: candle.high_units, scale: candle.high_scale)
    low = NativeDecimal(units: candle.low_units, scale: candle.low_scale)
    close = NativeDecimal(units: candle.close_units, scale: candle.close_scale)
    exactVolume =
      candle.is_volume_exact == 0 ? nil : NativeDecimal(units: candle.volume_units, scale: candle.volume_scale)
    volume = candle.volume
    count = candle.count
    gap = UInt64(candle.gap)
  }
}

/// Statistics, as the native side gives them.
package struct NativePriceStatistics: RecordElement, NativeFeedElement {
  package let symbol: Int
  package let timeNanoseconds: Int64
  package let count: UInt64
  package let mean: Double
  package let variance: Double
  package let lowest: NativeDecimal
  package let highest: NativeDecimal
  package let first: NativeDecimal
  package let last: NativeDecimal
  package let gap: UInt64

  init(_ statistics: RustlePriceStatistics) {
    symbol = Int(statistics.symbol)
    timeNanoseconds = statistics.time_ns
    count = statistics.count
    mean = statistics.mean
    variance = statistics.variance
    lowest = NativeDecimal(units: statistics.min_units, scale: statistics.min_scale)
    highest = NativeDecimal(units: statistics.max_units, scale: statistics.max_scale)
    first = NativeDecimal(units: statistics.first_units, scale: statistics.first_scale)
    last = NativeDecimal(units: statistics.last_units, scale: statistics.last_scale)
    gap = UInt64(statistics.gap)
  }
}

/// An alert that fired, as the native side gives it.
package struct NativePriceAlert: RecordElement, NativeFeedElement {
  package let symbol: Int
  /// Which of the consumer's thresholds.
  package let threshold: Int
  package let price: NativeDecimal
  package let timeNanoseconds: Int64
  package let gap: UInt64

  init(_ alert: RustlePriceAlert) {
    symbol = Int(alert.symbol)
    threshold = Int(alert.threshold)
    price = NativeDecimal(units: alert.price_units, scale: alert.price_scale)
    timeNanoseconds = alert.time_ns
    gap = UInt64(alert.gap)
  }
}

/// A notice, as the native side gives it.
package struct NativeFeedNotice: RecordElement, NativeFeedElement {
  /// Its number in the header.
  package let kind: UInt32
  package let count: UInt64
  package let failures: Int
  package let timeNanoseconds: Int64
  package let text: String
  package let gap: UInt64
  package var symbol: Int { -1 }

  init(_ notice: RustleFeedNotice) {
    kind = notice.kind
    count = notice.count
    failures = Int(notice.failures)
    timeNanoseconds = notice.time_ns
    let length = min(Int(notice.text_length), Int(RUSTLE_NOTICE_CAPACITY))
    text = unsafe withUnsafeBytes(of: notice.text) { bytes in
      unsafe String(decoding: bytes.prefix(length), as: UTF8.self)
    }
    gap = UInt64(notice.gap)
  }
}

/// What a source met with, as the native side counts it.
package struct NativeFeedCounts: Sendable, Hashable {
  package let bytes, messages, quotes, malformed, oversized, others: UInt64
  package let gaps, skipped, duplicates, outOfOrder, connections, disconnections: UInt64

  init(_ counts: RustleFeedCounts) {
    bytes = counts.bytes
    messages = counts.messages
    quotes = counts.quotes
    malformed = counts.malformed
    oversized = counts.oversized
    others = counts.others
    gaps = counts.gaps
    skipped = counts.skipped
    duplicates = counts.duplicates
    outOfOrder = counts.out_of_order
    connections = counts.connections
    disconnections = counts.disconnections
  }
}
