internal import CRustle

/// One line of a record's layout: the record as a whole (`field` is nil) or one of its fields.
struct LayoutEntry: Sendable, Hashable {
  let record: String
  let field: String?
  /// The record's size with its padding, in bytes; 0 for a field.
  let size: Int
  /// The record's alignment, in bytes; 0 for a field.
  let alignment: Int
  /// The field's distance from the record's start, in bytes; 0 for a record.
  let offset: Int

  /// What a message calls it: `RustleSink` or `RustleSink.context`.
  var name: String { field.map { "\(record).\($0)" } ?? record }
}

/// The layout of every record that crosses the boundary, as each side sees it.
enum NativeLayout {
  /// The layout that the linked archive was compiled with.
  static func ofArchive() -> [LayoutEntry] {
    var count = 0
    guard let table = unsafe rustle_abi_layout(&count) else { return [] }
    let entries = unsafe UnsafeBufferPointer(start: table, count: count)
    return unsafe entries.map { entry in
      unsafe LayoutEntry(
        record: String(cString: entry.record), field: entry.field.map { unsafe String(cString: $0) },
        size: entry.size, alignment: entry.alignment, offset: entry.offset)
    }
  }

  /// The layout that this module was compiled with, from the header.
  static func ofHeader() -> [LayoutEntry] {
    [
      record(
        RustleError.self, "RustleError",
        [("status", \.status), ("message_length", \.message_length), ("message", \.message)]),
      unsafe record(RustleString.self, "RustleString", [("data", \.data), ("length", \.length)]),
      unsafe record(
        RustleSink.self, "RustleSink",
        [("context", \.context), ("on_signal", \.on_signal), ("on_release", \.on_release)]),
      record(
        RustleTickerConfiguration.self, "RustleTickerConfiguration",
        [
          ("updates_per_second", \.updates_per_second), ("seed", \.seed), ("update_limit", \.update_limit),
          ("runtime", \.runtime), ("has_seed", \.has_seed), ("reserved", \.reserved),
        ]),
      record(
        RustlePriceUpdate.self, "RustlePriceUpdate",
        [
          ("price", \.price), ("timestamp_ms", \.timestamp_ms), ("sequence", \.sequence), ("symbol", \.symbol),
          ("gap", \.gap),
        ]),
      record(
        RustleLaneStatistics.self, "RustleLaneStatistics",
        [
          ("produced", \.produced), ("delivered", \.delivered), ("dropped", \.dropped), ("waiting", \.waiting),
          ("untold", \.untold),
        ]),
      record(
        RustlePeakSearch.self, "RustlePeakSearch",
        [
          ("sample_rate", \.sample_rate), ("threshold", \.threshold), ("separation", \.separation),
          ("window", \.window), ("reserved", \.reserved),
        ]),
      record(
        RustlePeak.self, "RustlePeak", [("bin", \.bin), ("frequency", \.frequency), ("amplitude", \.amplitude)]),
      record(
        RustleStftConfiguration.self, "RustleStftConfiguration",
        [
          ("size", \.size), ("hop", \.hop), ("window", \.window), ("symmetry", \.symmetry), ("scale", \.scale),
          ("padding", \.padding), ("form", \.form), ("path", \.path),
        ]),
      unsafe record(
        RustleSoundConfiguration.self, "RustleSoundConfiguration",
        [
          ("device", \.device), ("frame_limit", \.frame_limit), ("runtime", \.runtime), ("sample_rate", \.sample_rate),
          ("channels", \.channels), ("period", \.period), ("reserved", \.reserved),
        ]),
      record(
        RustleSoundBlock.self, "RustleSoundBlock",
        [
          ("sequence", \.sequence), ("position", \.position), ("lost", \.lost), ("overruns", \.overruns),
          ("frames", \.frames), ("gap", \.gap), ("channels", \.channels), ("samples", \.samples),
        ]),
      record(
        RustlePlaybackProgress.self, "RustlePlaybackProgress",
        [
          ("sequence", \.sequence), ("position", \.position), ("played", \.played), ("queued", \.queued),
          ("starved", \.starved), ("underruns", \.underruns), ("gap", \.gap),
        ]),
      unsafe record(
        RustleSoundDevice.self, "RustleSoundDevice",
        [("name", \.name), ("description", \.description), ("captures", \.captures), ("plays", \.plays)]),
      record(
        RustleEqualizerBand.self, "RustleEqualizerBand",
        [("frequency", \.frequency), ("gain", \.gain), ("q", \.q), ("kind", \.kind), ("reserved", \.reserved)]),
      unsafe record(
        RustleEqualizerSettings.self, "RustleEqualizerSettings",
        [
          ("left", \.left), ("left_count", \.left_count), ("right", \.right), ("right_count", \.right_count),
          ("preamp", \.preamp),
        ]),
      record(
        RustleResponsePoint.self, "RustleResponsePoint",
        [("frequency", \.frequency), ("deviation", \.deviation)]),
      unsafe record(
        RustleMeterConfiguration.self, "RustleMeterConfiguration",
        [
          ("sample_rate", \.sample_rate), ("offset", \.offset), ("channels", \.channels),
          ("channel_count", \.channel_count), ("response", \.response), ("response_count", \.response_count),
          ("metered", \.metered), ("weighting", \.weighting), ("time", \.time), ("loudness", \.loudness),
          ("bands", \.bands), ("reserved", \.reserved),
        ]),
      record(
        RustleMeterReading.self, "RustleMeterReading",
        [
          ("seconds", \.seconds), ("level", \.level), ("equivalent", \.equivalent), ("highest", \.highest),
          ("lowest", \.lowest), ("peak", \.peak), ("exposure", \.exposure), ("overloads", \.overloads),
          ("momentary", \.momentary), ("momentary_highest", \.momentary_highest), ("short_term", \.short_term),
          ("short_term_highest", \.short_term_highest), ("integrated", \.integrated), ("range", \.range),
          ("true_peak", \.true_peak), ("place", \.place), ("noise_class", \.noise_class), ("reserved", \.reserved),
        ]),
      record(
        RustlePitchConfiguration.self, "RustlePitchConfiguration",
        [
          ("sample_rate", \.sample_rate), ("lowest", \.lowest), ("highest", \.highest), ("method", \.method),
          ("window", \.window), ("hop", \.hop), ("reserved", \.reserved),
        ]),
      record(
        RustlePitchDescription.self, "RustlePitchDescription",
        [("lowest", \.lowest), ("highest", \.highest), ("window", \.window), ("hop", \.hop)]),
      record(
        RustlePitchFrame.self, "RustlePitchFrame",
        [
          ("sample", \.sample), ("frequency", \.frequency), ("confidence", \.confidence), ("deviation", \.deviation),
          ("inharmonicity", \.inharmonicity), ("harmonicity", \.harmonicity), ("level", \.level),
        ]),
      record(
        RustleFormantConfiguration.self, "RustleFormantConfiguration",
        [("ceiling", \.ceiling), ("length", \.length), ("order", \.order), ("method", \.method)]),
      record(
        RustleVoiceConfiguration.self, "RustleVoiceConfiguration",
        [
          ("sample_rate", \.sample_rate), ("lowest", \.lowest), ("highest", \.highest), ("hop", \.hop),
          ("measures", \.measures), ("formants", \.formants),
        ]),
      record(
        RustleVoiceDescription.self, "RustleVoiceDescription",
        [("window", \.window), ("hop", \.hop)]),
      record(
        RustleFormants.self, "RustleFormants",
        [
          ("frequencies", \.frequencies), ("bandwidths", \.bandwidths), ("confidence", \.confidence),
          ("count", \.count), ("reserved", \.reserved),
        ]),
      record(
        RustleVoiceFrame.self, "RustleVoiceFrame",
        [
          ("sample", \.sample), ("pitch", \.pitch), ("confidence", \.confidence), ("level", \.level), ("hnr", \.hnr),
          ("centroid", \.centroid), ("formants", \.formants), ("is_voiced", \.is_voiced), ("reserved", \.reserved),
        ]),
      record(
        RustlePerturbation.self, "RustlePerturbation",
        [
          ("periods", \.periods), ("mean_period", \.mean_period), ("jitter", \.jitter), ("jitter_rap", \.jitter_rap),
          ("jitter_ppq5", \.jitter_ppq5), ("shimmer", \.shimmer), ("shimmer_decibels", \.shimmer_decibels),
          ("shimmer_apq3", \.shimmer_apq3), ("shimmer_apq5", \.shimmer_apq5),
        ]),
      record(
        RustleVoiceSummary.self, "RustleVoiceSummary",
        [
          ("frames", \.frames), ("voiced", \.voiced), ("median_pitch", \.median_pitch), ("mean_pitch", \.mean_pitch),
          ("pitch_deviation", \.pitch_deviation), ("mean_confidence", \.mean_confidence), ("mean_hnr", \.mean_hnr),
          ("perturbation", \.perturbation),
        ]),
      record(
        RustleSpectrumFeatures.self, "RustleSpectrumFeatures",
        [("centroid", \.centroid), ("rolloff", \.rolloff), ("tilt", \.tilt)]),
      record(
        RustleHarmonicity.self, "RustleHarmonicity",
        [("hnr", \.hnr), ("frequency", \.frequency), ("is_voiced", \.is_voiced), ("reserved", \.reserved)]),
      record(
        RustleHarmonicDifference.self, "RustleHarmonicDifference",
        [("difference", \.difference), ("first", \.first), ("second", \.second), ("frequency", \.frequency)]),
      record(
        RustleGbmParameters.self, "RustleGbmParameters",
        [
          ("price_units", \.price_units), ("drift", \.drift), ("volatility", \.volatility),
          ("price_scale", \.price_scale), ("reserved", \.reserved),
        ]),
      unsafe record(
        RustleSimulatedFeed.self, "RustleSimulatedFeed",
        [
          ("symbols", \.symbols), ("symbol_count", \.symbol_count), ("parameters", \.parameters),
          ("parameter_count", \.parameter_count), ("updates_per_second", \.updates_per_second), ("seed", \.seed),
          ("update_limit", \.update_limit), ("runtime", \.runtime), ("model", \.model), ("reserved", \.reserved),
        ]),
      unsafe record(
        RustleReplayFeed.self, "RustleReplayFeed",
        [
          ("path", \.path), ("schema", \.schema), ("speed", \.speed), ("from_ns", \.from_ns), ("runtime", \.runtime),
          ("format", \.format), ("repeats", \.repeats), ("has_from", \.has_from), ("reserved", \.reserved),
        ]),
      unsafe record(
        RustleLiveFeed.self, "RustleLiveFeed",
        [
          ("address", \.address), ("schema", \.schema), ("connecting_ns", \.connecting_ns),
          ("silence_ns", \.silence_ns), ("base_ns", \.base_ns), ("cap_ns", \.cap_ns), ("healthy_ns", \.healthy_ns),
          ("runtime", \.runtime), ("restarts_numbers", \.restarts_numbers), ("subscribes", \.subscribes),
        ]),
      unsafe record(
        RustlePushedFeed.self, "RustlePushedFeed",
        [
          ("schema", \.schema), ("runtime", \.runtime), ("message_limit", \.message_limit), ("format", \.format),
          ("restarts_numbers", \.restarts_numbers),
        ]),
      unsafe record(
        RustleFeedSubscription.self, "RustleFeedSubscription",
        [
          ("symbols", \.symbols), ("symbol_count", \.symbol_count), ("all", \.all), ("reserved", \.reserved),
        ]),
      record(
        RustleFeedPolicy.self, "RustleFeedPolicy",
        [
          ("kind", \.kind), ("reserved", \.reserved), ("capacity", \.capacity), ("interval_ns", \.interval_ns),
        ]),
      unsafe record(
        RustleFeedThreshold.self, "RustleFeedThreshold",
        [
          ("symbol", \.symbol), ("level_units", \.level_units), ("hysteresis_units", \.hysteresis_units),
          ("direction", \.direction), ("level_scale", \.level_scale), ("hysteresis_scale", \.hysteresis_scale),
          ("reserved", \.reserved),
        ]),
      record(
        RustleQuote.self, "RustleQuote",
        [
          ("price_units", \.price_units), ("size_units", \.size_units), ("time_ns", \.time_ns),
          ("sequence", \.sequence), ("skipped", \.skipped), ("symbol", \.symbol), ("gap", \.gap),
          ("price_scale", \.price_scale), ("size_scale", \.size_scale), ("is_out_of_order", \.is_out_of_order),
          ("reserved", \.reserved),
        ]),
      record(
        RustleCandle.self, "RustleCandle",
        [
          ("start_ns", \.start_ns), ("open_units", \.open_units), ("high_units", \.high_units),
          ("low_units", \.low_units), ("close_units", \.close_units), ("volume_units", \.volume_units),
          ("volume", \.volume), ("count", \.count), ("symbol", \.symbol), ("gap", \.gap),
          ("open_scale", \.open_scale), ("high_scale", \.high_scale), ("low_scale", \.low_scale),
          ("close_scale", \.close_scale), ("volume_scale", \.volume_scale), ("is_volume_exact", \.is_volume_exact),
          ("reserved", \.reserved),
        ]),
      record(
        RustlePriceStatistics.self, "RustlePriceStatistics",
        [
          ("time_ns", \.time_ns), ("count", \.count), ("mean", \.mean), ("variance", \.variance),
          ("min_units", \.min_units), ("max_units", \.max_units), ("first_units", \.first_units),
          ("last_units", \.last_units), ("symbol", \.symbol), ("gap", \.gap), ("min_scale", \.min_scale),
          ("max_scale", \.max_scale), ("first_scale", \.first_scale), ("last_scale", \.last_scale),
          ("reserved", \.reserved),
        ]),
      record(
        RustlePriceAlert.self, "RustlePriceAlert",
        [
          ("price_units", \.price_units), ("size_units", \.size_units), ("time_ns", \.time_ns),
          ("sequence", \.sequence), ("threshold", \.threshold), ("symbol", \.symbol), ("gap", \.gap),
          ("price_scale", \.price_scale), ("size_scale", \.size_scale), ("reserved", \.reserved),
        ]),
      record(
        RustleFeedNotice.self, "RustleFeedNotice",
        [
          ("time_ns", \.time_ns), ("count", \.count), ("kind", \.kind), ("gap", \.gap),
          ("text_length", \.text_length), ("failures", \.failures), ("text", \.text),
        ]),
      record(
        RustleFeedWanted.self, "RustleFeedWanted",
        [
          ("version", \.version), ("count", \.count), ("length", \.length), ("all", \.all), ("reserved", \.reserved),
        ]),
      record(
        RustleFeedCounts.self, "RustleFeedCounts",
        [
          ("bytes", \.bytes), ("messages", \.messages), ("quotes", \.quotes), ("malformed", \.malformed),
          ("oversized", \.oversized), ("others", \.others), ("gaps", \.gaps), ("skipped", \.skipped),
          ("duplicates", \.duplicates), ("out_of_order", \.out_of_order), ("connections", \.connections),
          ("disconnections", \.disconnections),
        ]),
      record(
        RustleServerCounts.self, "RustleServerCounts",
        [
          ("clients", \.clients), ("accepted", \.accepted), ("refused", \.refused), ("bytes", \.bytes),
          ("quotes", \.quotes), ("dropped", \.dropped),
        ]),
      record(
        RustleServerClient.self, "RustleServerClient",
        [
          ("number", \.number), ("since_ns", \.since_ns), ("bytes", \.bytes), ("lane", \.lane),
        ]),
      unsafe record(
        RustleLayoutEntry.self, "RustleLayoutEntry",
        [
          ("record", \.record), ("field", \.field), ("size", \.size), ("alignment", \.alignment),
          ("offset", \.offset),
        ]),
    ].flatMap { $0 }
  }

  /// The first difference between the two, as a sentence that names the record or the field; nil when they agree.
  static func difference(archive: [LayoutEntry], header: [LayoutEntry]) -> String? {
    let expected = Dictionary(header.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let got = Dictionary(archive.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for entry in archive where expected[entry.name] == nil {
      return "\(entry.name): in the archive, not in the header"
    }
    for entry in header {
      guard let other = got[entry.name] else { return "\(entry.name): in the header, not in the archive" }
      if other != entry {
        return "\(entry.name): expected size \(entry.size), alignment \(entry.alignment), offset \(entry.offset); "
          + "got size \(other.size), alignment \(other.alignment), offset \(other.offset)"
      }
    }
    return nil
  }

  private static func record<Record>(
    _ type: Record.Type, _ name: String, _ fields: [(String, PartialKeyPath<Record>)]
  ) -> [LayoutEntry] {
    let whole = LayoutEntry(
      record: name, field: nil, size: MemoryLayout<Record>.size, alignment: MemoryLayout<Record>.alignment, offset: 0)
    let parts = fields.map { field, path in
      // A stored field of an imported record always has an offset; -1 would be reported as a difference.
      LayoutEntry(
        record: name, field: field, size: 0, alignment: 0, offset: MemoryLayout<Record>.offset(of: path) ?? -1)
    }
    return [whole] + parts
  }
}
