internal import Foundation
internal import Rustle
internal import StudioCore

/// The states that clients are sent, by their names.
enum State: String, CaseIterable {
  case ticker, sound, meter, spectrum, tuner, equalizer, recorder, tempo
  case lights, output, fixtures, provisioning, mapping
}

extension Studio {
  /// A state as JSON.
  func state(_ which: State) -> JSON {
    switch which {
    case .ticker:
      return tickerState
    case .sound: return soundState
    case .meter:
      let configuration = sound.meterConfiguration
      return [
        "weighting": .string(configuration.frequencyWeighting.rawValue),
        "time": .string(configuration.timeWeighting.rawValue),
        "offset": configuration.calibration.offset.map { .number($0) } ?? .null, "device": .optional(sound.device),
        "calibrations": .object(sound.calibrations.mapValues { .number($0) }),
      ]
    case .spectrum:
      return [
        "size": .integer(sound.spectrumSize), "window": .string(sound.spectrumWindow.rawValue),
        "windows": .strings(WindowFunction.allCases.map(\.rawValue)), "points": .integer(SpectrumRows.count),
        "low": .number(sound.spectrumRange.lowerBound), "high": .number(sound.spectrumRange.upperBound),
      ]
    case .tuner: return tunerState
    case .equalizer: return equalizerState
    case .recorder:
      let all = recordings.newest().map { ["name": .string($0.name), "bytes": .integer($0.bytes)] as JSON }
      return [
        "recording": .optional(recordings.name), "paused": .bool(recordings.isPaused), "recordings": .array(all),
        "seconds": .number(recordings.duration / .seconds(1)), "formats": .strings(Recordings.formats),
        "error": .optional(recordings.failure),
      ]
    case .tempo:
      let state = clock.beats()
      return [
        "bpm": .number(state.tempo), "quantum": .number(state.quantum), "enabled": .bool(session.isEnabled),
        "peers": .integer(session.peerCount), "playing": .bool(session.beats().isPlaying),
        "source": .string(state.source.rawValue),
      ]
    case .fixtures:
      let interfaces = ((try? NetworkInterface.all()) ?? []).map { interface in
        ["id": .string(interface.name), "name": .string("\(interface.name), \(interface.address)")] as JSON
      }
      return [
        "interface": .optional(nodes.interface), "error": .optional(nodes.failure),
        "interfaces": .array(interfaces + [["id": "demo", "name": "Demo"]]), "nodes": .array(nodes.nodes.map(\.json)),
      ]
    case .provisioning: return provisioning.json
    case .mapping: return mapping.json
    case .output: return outputState
    case .lights:
      return [
        "running": .bool(lights.isRunning), "armed": .bool(lights.output != nil), "output": .optional(lights.output),
        "lent": .bool(lights.isLent), "blackout": .bool(lights.isBlackout),
        "unattended": .string(lights.unattended.rawValue), "master": .number(lights.master),
        "scenes": .strings(lights.show.scenes),
        "cues": .strings(lights.show.cues), "scene": lights.scene.map { .integer($0) } ?? .null,
        "colors": .strings(lights.testColors), "test": .optional(lights.testColor),
        "cue": lights.report?.cue.map { .integer($0) } ?? .null, "name": .string(lights.show.name),
        "faders": .strings(lights.show.faders), "levels": .numbers(lights.faders),
        "notices": .strings(lights.show.faults + lights.show.notices), "fixtures": .integer(lights.show.fixtureCount),
        "universes": .integer(lights.show.universeCount),
      ]
    }
  }

  private var outputState: JSON {
    let universes = lights.counts.universes.map { universe in
      var state: [String: JSON] = [
        "name": .string("\(universe.universe)"), "protocol": .string(universe.universe.protocol.rawValue),
        "fixtures": .integer(universe.fixtureCount), "lit": .integer(universe.litSlotCount),
      ]
      if let sent = universe.sent {
        state["rate"] = .number(sent.rate)
        state["refused"] = .integer(sent.counts.refusals)
        state["failing"] = .bool(sent.isFailing)
      }
      return JSON.object(state)
    }
    var state: [String: JSON] = ["universes": .array(universes)]
    if let sending = lights.counts.sending {
      state["rate"] = .number(sending.rate)
      state["packets"] = .integer(sending.report.packets)
      state["refused"] = .integer(sending.report.refusals)
      state["skipped"] = .integer(sending.report.skippedFrames)
    }
    return .object(state)
  }

  private var tickerState: JSON {
    let settings = prices.settings
    let alerts = prices.alerts.map { alert in
      ["text": .string(alert.text), "time": .integer(alert.time.nanosecondsSince1970 / 1_000_000)] as JSON
    }
    var state: [String: JSON] = [
      "running": .bool(prices.isRunning), "symbols": .strings(settings.symbols), "rate": .number(settings.rate),
      "source": .string(settings.source.id), "interval": .integer(settings.interval),
      "sources": .array(prices.sources.map { ["id": .string($0.id), "name": .string($0.name)] }),
      "intervals": .array(Prices.intervals.map { .integer($0) }),
      "thresholds": .strings(prices.thresholds.map(\.description)), "alerts": .array(alerts),
    ]
    if prices.connection != .idle { state["connection"] = .string(prices.connection.text) }
    return .object(state)
  }

  private var soundState: JSON {
    let devices = sound.devices.map { ["name": .string($0.name), "description": .string($0.description)] as JSON }
    var state: [String: JSON] = [
      "rate": .number(sound.format.sampleRate), "devices": .array(devices), "error": .optional(sound.failure),
      "silent": .bool(sound.isSilent),
    ]
    switch sound.source {
    case .none: state["kind"] = "none"
    case .device(AudioDevice.demo.name): state["kind"] = "demo"
    case .device(let name):
      state["kind"] = "device"
      state["name"] = .string(name)
    case .browser(let client):
      state["kind"] = "browser"
      state["client"] = .integer(client)
    }
    return .object(state)
  }

  private var tunerState: JSON {
    let configuration = sound.tunerConfiguration
    let presets = Instrument.Preset.allCases
    let instrument = presets.first { $0.name == configuration.instrument.name }?.rawValue ?? "chromatic"
    let temperament = Temperament.Preset.allCases.first { $0.name == configuration.tuning.temperament.name }
    func named(_ id: String, _ name: String) -> JSON { ["id": .string(id), "name": .string(name)] }
    return [
      "a4": .number(configuration.tuning.reference), "instrument": .string(instrument),
      "temperament": .string(temperament?.rawValue ?? ""), "method": .string(configuration.method.rawValue),
      "methods": .strings(PitchMethod.allCases.map(\.rawValue)),
      "instruments": .array([named("chromatic", "Chromatic")] + presets.map { named($0.rawValue, $0.name) }),
      "temperaments": .array(Temperament.Preset.allCases.map { named($0.rawValue, $0.name) }),
      "strings": .strings(configuration.instrument.strings.map { $0.note.text(spelling: .sharps) }),
    ]
  }

  private var equalizerState: JSON {
    let settings = sound.settings
    let rate = sound.format.sampleRate
    // From below the lowest band.
    let (lowest, highest) = (7.0, EqualizerResponse.audibleFrequencies(count: 2, sampleRate: rate).last ?? 20_000)
    let frequencies = (0..<180).map { lowest * pow(highest / lowest, Double($0) / 179) }
    let audible = settings.limited(toSampleRate: rate)
    var state: [String: JSON] = [
      "frequencies": [
        "left": .numbers(settings.left.map(\.frequency)), "right": .numbers(settings.right.map(\.frequency)),
      ], "left": .numbers(settings.left.map(\.gain)), "right": .numbers(settings.right.map(\.gain)),
      "bypassed": .bool(sound.isBypassed), "preamp": .number(settings.preamp),
      "layout": .string(settings.layout), "graphic": .bool(settings.layout == EqualizerSettings.graphicLayout),
    ]
    if let response = try? audible.response(at: frequencies, sampleRate: rate) {
      state["response"] = [
        "frequencies": .numbers(response.frequencies), "left": .numbers(response.left),
        "right": .numbers(response.right),
      ]
    }
    return .object(state)
  }
}

extension Candle {
  var json: JSON {
    [
      "start": .integer(start.nanosecondsSince1970 / 1_000_000), "open": .number(open.doubleValue),
      "high": .number(high.doubleValue), "low": .number(low.doubleValue), "close": .number(close.doubleValue),
      "volume": .number(volume), "trades": .integer(tradeCount),
    ]
  }
}

extension LightShow.Fixture {
  var json: JSON {
    [
      "id": .string(id), "name": .string(name), "profile": .string(profile), "mode": .string(mode),
      "group": .string(group), "protocol": .string(universe.protocol.rawValue), "universe": .string("\(universe)"),
      "address": .integer(address), "slots": .integer(slotCount),
    ]
  }
}

extension DMXNode {
  var json: JSON {
    [
      "name": .string(name), "longName": .string(longName), "address": .string(address), "mac": .optional(mac),
      "ports": .strings(ports.map { "\($0)" }), "state": .string(state.rawValue),
    ]
  }
}

extension EqualizerSettings {
  /// All but the gains: filters of one layout differ in these alone. Widths are as exact as in a text.
  var layout: String {
    func text(_ bands: [EqualizerBand]) -> String {
      bands.map { "\($0.kind.rawValue) \($0.frequency) \((1000 * $0.q).rounded())" }.joined(separator: ",")
    }
    return "\(text(left))|\(text(right))|\(preamp)"
  }

  /// That of the graphic equalizer without a preamp.
  static let graphicLayout = (try? graphic(gains: [Double](repeating: 0, count: 2 * centerFrequencies.count)))?.layout
}
