internal import Rustle
internal import StudioCore

/// What a client can do: `engine/action`, over the WebSocket and as `POST /api/engine/action`.
enum Action: String, CaseIterable {
  case tickerStart = "ticker/start"
  case tickerStop = "ticker/stop"
  case tickerThresholds = "ticker/thresholds"
  case tickerCandles = "ticker/candles"
  case tickerPrices = "ticker/prices"
  case soundSelect = "sound/select"
  case meterSet = "meter/set"
  case meterCalibrate = "meter/calibrate"
  case meterReset = "meter/reset"
  case spectrumSet = "spectrum/set"
  case tunerSet = "tuner/set"
  case equalizerGain = "equalizer/gain"
  case equalizerSet = "equalizer/set"
  case equalizerBypass = "equalizer/bypass"
  case equalizerImport = "equalizer/import"
  case equalizerExport = "equalizer/export"
  case recorderStart = "recorder/start"
  case recorderPause = "recorder/pause"
  case recorderStop = "recorder/stop"
  case recorderDelete = "recorder/delete"
  case tempoSet = "tempo/set"
  case tempoQuantum = "tempo/quantum"
  case tempoTap = "tempo/tap"
  case tempoSession = "tempo/session"
  case tempoPlay = "tempo/play"
  case lightsStart = "lights/start"
  case lightsStop = "lights/stop"
  case lightsArm = "lights/arm"
  case lightsBlackout = "lights/blackout"
  case lightsMaster = "lights/master"
  case lightsFader = "lights/fader"
  case lightsScene = "lights/scene"
  case lightsTest = "lights/test"
  case lightsCue = "lights/cue"
  case lightsGo = "lights/go"
  case lightsBack = "lights/back"
  case lightsUnattended = "lights/unattended"
  case outputLevels = "output/levels"
  case fixturesList = "fixtures/list"
  case fixturesSearch = "fixtures/search"
  case fixturesStop = "fixtures/stop"
  case provisioningScan = "provisioning/scan"
  case provisioningStop = "provisioning/stop"
  case provisioningSet = "provisioning/set"
  case provisioningRead = "provisioning/read"
  case provisioningReset = "provisioning/reset"
  case provisioningCancel = "provisioning/cancel"
  case mappingStart = "mapping/start"
  case mappingStop = "mapping/stop"
  case mappingCamera = "mapping/camera"
  case mappingResult = "mapping/result"

  /// What it does to lamps.
  func kind(_ arguments: JSON) -> ActionOrder.Kind {
    switch self {
    case .lightsBlackout: arguments["on"] == true ? .blackout : .restore
    case .lightsArm: arguments["armed"] == false ? .disarm : .arm
    case .lightsStop: .stop
    default: .other
    }
  }

  /// Whether no state is another one after it. A list of the fixtures is no such action: with it come the interfaces of now.
  var onlyReads: Bool {
    switch self {
    case .tickerCandles, .tickerPrices, .equalizerExport, .outputLevels, .mappingResult: true
    default: false
    }
  }
}

extension Studio {
  /// Performs an action; its result is null unless the action says otherwise.
  func perform(_ action: Action, _ arguments: JSON, by client: Int?) async throws -> JSON {
    let arguments = Arguments(arguments, areSecret: action == .provisioningSet)
    switch action {
    case .tickerStart, .tickerStop, .tickerThresholds: try await setPrices(action, arguments)
    case .tickerCandles:
      let candles = prices.candles(of: try arguments.string("symbol"))
      return ["candles": .array(candles.map(\.json))]
    case .tickerPrices: return await prices.newest()
    case .soundSelect: try await selectSound(arguments, client)
    case .meterSet, .meterCalibrate, .meterReset: try setMeter(action, arguments)
    case .spectrumSet: try setSpectrum(arguments)
    case .tunerSet: try setTuner(arguments)
    case .equalizerGain, .equalizerSet, .equalizerBypass, .equalizerImport: try await setEqualizer(action, arguments)
    case .equalizerExport: return ["text": .string(EqualizerText.format(sound.settings))]
    case .recorderStart:
      let format = try arguments.string("format", default: Recordings.formats[0])
      guard Recordings.formats.contains(format) else {
        throw ActionError("validation", "format: expected \(Recordings.formats.joined(separator: ", ")), got \(format)")
      }
      guard sound.source != .none else {
        throw ActionError("wrongState", "expected a sound to record, got none", advice: "Choose a sound first.")
      }
      guard sound.isHeard else {
        throw ActionError(
          "wrongState", "expected sound of the browser's microphone, got none yet",
          advice: "Wait until the level moves.")
      }
      try await recordings.start(sound.fan, sound.format, as: format)
      sound.isRecorded = true
    case .recorderPause: try await recordings.setPaused(try arguments.bool("paused"))
    case .recorderStop: await recordings.stop()
    case .recorderDelete: try recordings.delete(try arguments.string("name"))
    case .tempoSet:
      let tempo = try arguments.number("bpm", in: 20...999)
      try clock.setTempo(tempo)
      try session.setTempo(tempo)
    case .tempoQuantum:
      let quantum = try arguments.number("beats", in: 1...64)
      try clock.setQuantum(quantum)
      try session.setQuantum(quantum)
    case .tempoTap:
      try clock.tap(at: try arguments.pressTime("time", since: hub.start))
      if let tempo = clock.taps?.tempo, session.isEnabled, (20...999).contains(tempo) { try session.setTempo(tempo) }
    case .tempoSession:
      if try arguments.bool("enabled") { try session.enable() } else { try session.disable() }
    case .tempoPlay: try session.setPlaying(try arguments.bool("playing"))
    case .lightsStart, .lightsStop, .lightsArm, .lightsBlackout, .lightsMaster, .lightsFader, .lightsScene, .lightsTest,
      .lightsCue, .lightsGo, .lightsBack, .lightsUnattended:
      try await setLights(action, arguments)
    case .outputLevels:
      let levels = try await lights.levels().map { fixture, slots in
        ["id": .string(fixture.id), "slots": .array(slots.map { .integer($0) })] as JSON
      }
      return ["levels": .array(levels)]
    case .fixturesList: return ["fixtures": .array(try lights.show.fixtures().map(\.json))]
    case .fixturesSearch: try await nodes.start(try arguments.string("interface"))
    case .fixturesStop: await nodes.stop()
    case .provisioningScan, .provisioningStop, .provisioningSet, .provisioningRead, .provisioningReset,
      .provisioningCancel:
      try await setProvisioning(action, arguments)
    case .mappingStart: try await startMapping(arguments, client)
    case .mappingStop: await mapping.stop()
    case .mappingCamera: try openCamera(try arguments.bool("open"))
    case .mappingResult: return mapping.result
    }
    return .null
  }

  private func setPrices(_ action: Action, _ arguments: Arguments) async throws {
    switch action {
    case .tickerStart:
      var settings = prices.settings
      if arguments["source"] != .null {
        let id = try arguments.string("source")
        guard let source = prices.sources.first(where: { $0.id == id }) else {
          let ids = prices.sources.map(\.id).joined(separator: ", ")
          throw ActionError("validation", "source: expected \(ids), got \(id)")
        }
        settings.source = source
      }
      let least = settings.source == .simulated ? 1 : 0
      settings.symbols = try arguments.strings("symbols", count: least...32, default: settings.symbols)
      settings.rate = try arguments.number("rate", in: 0.1...1_000, default: settings.rate)
      settings.interval = try arguments.integer("interval", in: 1...300, default: settings.interval)
      guard Prices.intervals.contains(settings.interval) else {
        let all = Prices.intervals.map(String.init).joined(separator: ", ")
        throw ActionError("validation", "interval: expected \(all) seconds, got \(settings.interval)")
      }
      try await prices.start(settings)
    case .tickerThresholds:
      let texts = try arguments.strings("thresholds", count: 0...32, default: [])
      try await prices.setThresholds(
        texts.map { text in
          guard let threshold = PriceThreshold(text) else {
            throw ActionError("validation", "thresholds: expected texts such as BTC>100 or ETH<90~1, got \(text)")
          }
          return threshold
        })
    default: await prices.stop()
    }
  }

  private func selectSound(_ arguments: Arguments, _ client: Int?) async throws {
    switch try arguments.string("kind") {
    case "none": try sound.select(.none)
    case "demo": try sound.select(.device(AudioDevice.demo.name), of: AudioDevice.demo.name)
    case "device":
      let name = try arguments.string("name")
      guard try await sound.has(device: name) else {
        throw ActionError(
          "validation", "name: expected a device of the server that captures, got \(name)",
          advice: "Choose one of the list; rustle devices lists them too.")
      }
      try sound.select(.device(name), of: name)
    case "browser":
      guard let client else {
        throw ActionError("validation", "expected a client with a microphone, got a request without a WebSocket")
      }
      try sound.select(.browser(client), of: try arguments.string("name", default: "Microphone"))
    case let other: throw ActionError("validation", "kind: expected none, demo, device or browser, got \(other)")
    }
  }

  private func setSpectrum(_ arguments: Arguments) throws {
    let size = try arguments.integer("size", in: 256...16_384, default: sound.spectrumSize)
    guard size.nonzeroBitCount == 1 else {
      throw ActionError("validation", "size: expected a power of two, got \(size)")
    }
    let (low, high) = (sound.spectrumRange.lowerBound, sound.spectrumRange.upperBound)
    let lowest = try arguments.number("low", in: 10...10_000, default: low)
    let highest = try arguments.number("high", in: 20...96_000, default: high)
    guard highest >= 2 * lowest else {
      throw ActionError("validation", "high: expected at least an octave above low, got \(lowest) to \(highest) Hz")
    }
    let name = try arguments.string("window", default: sound.spectrumWindow.rawValue)
    guard let window = WindowFunction(rawValue: name) else {
      let all = WindowFunction.allCases.map(\.rawValue).joined(separator: ", ")
      throw ActionError("validation", "window: expected \(all), got \(name)")
    }
    if size != sound.spectrumSize { sound.spectrumSize = size }
    if window != sound.spectrumWindow { sound.spectrumWindow = window }
    if lowest != low || highest != high { sound.spectrumRange = lowest...highest }
  }

  private func setMeter(_ action: Action, _ arguments: Arguments) throws {
    var configuration = sound.meterConfiguration
    switch action {
    case .meterCalibrate:
      if arguments["offset"] != .null {
        let device = try arguments.string("device", default: sound.device ?? "")
        return try sound.setCalibration(try arguments.number("offset", in: -300...300), of: device)
      }
      guard let reading = sound.reading, let device = sound.device else {
        throw ActionError("wrongState", "expected a running meter, got none", advice: "Choose a sound first.")
      }
      let reference = try arguments.number("level", in: 0...160)
      let calibration = try reading.calibration.matching(reading: reading.level, to: reference)
      return try sound.setCalibration(calibration.offset, of: device)
    case .meterReset: break
    default:
      let weighting = try arguments.string("weighting", default: configuration.frequencyWeighting.rawValue)
      let time = try arguments.string("time", default: configuration.timeWeighting.rawValue)
      guard let weighting = FrequencyWeighting(rawValue: weighting), let time = TimeWeighting(rawValue: time) else {
        throw ActionError(
          "validation", "expected the weightings A, C or Z, and F, S or I, got \(weighting) and \(time)")
      }
      (configuration.frequencyWeighting, configuration.timeWeighting) = (weighting, time)
      if arguments["calibrated"] == false {
        try sound.setCalibration(nil, of: try arguments.string("device", default: sound.device ?? ""))
        configuration.calibration = sound.meterConfiguration.calibration
      }
    }
    sound.meterConfiguration = configuration
  }

  private func setTuner(_ arguments: Arguments) throws {
    var configuration = sound.tunerConfiguration
    let reference = try arguments.number("a4", in: 392...466, default: configuration.tuning.reference)
    configuration.tuning = try configuration.tuning.with(reference: reference)
    let method = try arguments.string("method", default: configuration.method.rawValue)
    guard let method = PitchMethod(rawValue: method) else {
      let all = PitchMethod.allCases.map(\.rawValue).joined(separator: ", ")
      throw ActionError("validation", "method: expected \(all), got \(method)")
    }
    configuration.method = method
    if let name = arguments["temperament"].string {
      guard let preset = Temperament.Preset(rawValue: name) else {
        throw ActionError("validation", "temperament: expected one of the list, got \(name)")
      }
      configuration.tuning = configuration.tuning.with(temperament: Temperament(preset))
    }
    if let name = arguments["instrument"].string {
      guard
        let instrument = Instrument.Preset(rawValue: name).map(Instrument.init)
          ?? (name == "chromatic" ? .chromatic : nil)
      else { throw ActionError("validation", "instrument: expected one of the list, got \(name)") }
      configuration.instrument = instrument
    }
    sound.tunerConfiguration = configuration
  }

  private func setEqualizer(_ action: Action, _ arguments: Arguments) async throws {
    var (settings, isBypassed) = (sound.settings, sound.isBypassed)
    switch action {
    case .equalizerGain:
      let gain = try arguments.number("gain", in: EqualizerSettings.gainRange)
      let channel = try arguments.string("channel", default: "both")
      guard ["left", "right", "both"].contains(channel) else {
        throw ActionError("validation", "channel: expected left, right or both, got \(channel)")
      }
      let count = max(channel == "right" ? 0 : settings.left.count, channel == "left" ? 0 : settings.right.count)
      guard count > 0 else {
        throw ActionError(
          "validation", "channel: expected one with bands, got \(channel)",
          advice: "Import filters, or choose a preset.")
      }
      let band = try arguments.integer("band", in: 0...(count - 1))
      if channel != "right", settings.left.indices.contains(band) { settings.left[band].gain = gain }
      if channel != "left", settings.right.indices.contains(band) { settings.right[band].gain = gain }
    case .equalizerSet:
      let count = EqualizerSettings.centerFrequencies.count
      let (left, right) = (arguments["left"].array?.count, arguments["right"].array?.count)
      let isOther = (left, right) != (settings.left.count, settings.right.count) && left == count && right == count
      // Imported filters keep all but their gains; 14 gains of each channel are those of the graphic equalizer otherwise.
      if try arguments.bool("graphic", default: isOther) {
        settings = try .graphic(gains: [Double](repeating: 0, count: 2 * count))
      }
      let range = EqualizerSettings.gainRange
      for (band, gain) in try arguments.numbers("left", count: settings.left.count, in: range).enumerated() {
        settings.left[band].gain = gain
      }
      for (band, gain) in try arguments.numbers("right", count: settings.right.count, in: range).enumerated() {
        settings.right[band].gain = gain
      }
    case .equalizerImport: settings = try EqualizerText.parse(try arguments.string("text"))
    default: isBypassed = try arguments.bool("bypassed")
    }
    try await sound.set(settings, isBypassed: isBypassed)
  }

  /// Ends the output at once, also while a mapping has the lamps.
  func disarm() async {
    async let end: Void = mapping.stop()
    await lights.disarm()
    await end
  }

  private func setLights(_ action: Action, _ arguments: Arguments) async throws {
    if [.lightsScene, .lightsTest, .lightsCue, .lightsGo, .lightsBack].contains(action), lights.isLent {
      throw ActionError("wrongState", "expected the show to have its lamps, got a mapping", advice: "Stop it first.")
    }
    switch action {
    case .lightsStart: try await lights.start(following: clock)
    case .lightsStop:
      await mapping.stop()
      await lights.stop()
    case .lightsBlackout:
      try await lights.setBlackout(try arguments.bool("on"))
      // The show is dark when it has its lamps back.
      await mapping.stop()
    case .lightsMaster: try await lights.setMaster(try arguments.number("level", in: 0...1))
    case .lightsFader:
      let name = try arguments.string("name")
      guard let fader = lights.show.faders.firstIndex(of: name) else {
        throw ActionError("validation", "name: expected a fader of the show, got \(name)")
      }
      try await lights.setFader(fader, to: try arguments.number("level", in: 0...1))
    case .lightsScene:
      let name = try arguments.string("name")
      guard let scene = lights.show.scenes.firstIndex(of: name) else {
        throw ActionError("validation", "name: expected a scene of the show, got \(name)")
      }
      try await lights.show(scene: scene)
    case .lightsTest:
      let name = try arguments.string("color")
      guard name == "none" || lights.testColors.contains(name) else {
        let all = lights.testColors.joined(separator: ", ")
        throw ActionError("validation", "color: expected none, \(all), got \(name)")
      }
      try await lights.test(name == "none" ? nil : name)
    case .lightsCue:
      guard !lights.show.cues.isEmpty else {
        throw ActionError("wrongState", "expected a show with cues, got one without")
      }
      try await lights.go(toCue: try arguments.integer("cue", in: 0...(lights.show.cues.count - 1)))
    case .lightsGo: try await lights.go()
    case .lightsBack: try await lights.back()
    case .lightsUnattended:
      let name = try arguments.string("do")
      guard let unattended = Unattended(rawValue: name) else {
        throw ActionError("validation", "do: expected hold or blackout, got \(name)")
      }
      lights.unattended = unattended
    default:
      guard try arguments.bool("armed") else {
        return await disarm()
      }
      let ends = lights.ends
      let parts = try arguments.string("output").split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2, let kind = DMXProtocol(rawValue: parts[0]), !parts[1].isEmpty else {
        throw ActionError("validation", "output: expected sacn:ADDRESS or artnet:ADDRESS, such as sacn:192.168.1.40")
      }
      let protocols = try await lights.protocols
      guard protocols.contains(kind) else {
        let names = protocols.map(\.rawValue).sorted().joined(separator: " or ")
        throw ActionError(
          "validation", "output: expected \(names), the protocol of the show's universes, got \(kind.rawValue)")
      }
      await mapping.stop()
      try await lights.arm(kind, parts[1], after: ends)
    }
  }
}
