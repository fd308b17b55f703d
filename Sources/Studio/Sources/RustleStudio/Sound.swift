internal import Foundation
internal import NIOPosix
internal import Rustle
internal import StudioCore

/// The sound of the studio: one source, the equalizer, and the analyzers that clients are subscribed to.
@MainActor
final class Sound {
  /// Where the sound comes from.
  enum Source: Equatable {
    case none
    case device(String)
    case browser(Int)
  }

  private(set) var source = Source.none {
    didSet {
      if case .browser(let client) = source {
        hub.setSource(of: .sound, to: client)
      } else {
        hub.setSource(of: .sound, to: nil)
      }
    }
  }
  private(set) var format: AudioFormat
  private(set) var equalizer: Equalizer
  private(set) var settings: EqualizerSettings
  private(set) var isBypassed = false
  var meterConfiguration = SoundLevelMeterConfiguration(measuresLoudness: true) { didSet { restart(.meter) } }
  var tunerConfiguration = TunerConfiguration() { didSet { restart(.pitch) } }
  var spectrumSize = 4_096 { didSet { restart(.spectrum) } }
  var spectrumWindow = WindowFunction.hann { didSet { restart(.spectrum) } }
  /// The frequencies of the spectrum in Hz.
  var spectrumRange = 20.0...20_000 { didSet { restart(.spectrum) } }
  /// The devices that capture, as they were when the last client came.
  private(set) var devices: [AudioDevice] = []
  /// The name of what is heard: of a device, or of a browser's microphone or file; nil without a source.
  private(set) var device: String? {
    didSet { calibrate() }
  }
  /// The offset in dB of each device that is calibrated.
  private(set) var calibrations: [String: Double] = [:]
  /// The devices whose calibrations are kept.
  private static let maximumCalibrationCount = 64
  /// The newest reading of the meter, for the calibration.
  private(set) var reading: SoundLevelReading?
  /// The error that ended the source or an analyzer.
  private(set) var failure: String?

  /// Whether nothing was heard of the chosen sound for a while but zeros, or nothing at all.
  private(set) var isSilent = false

  /// Is called when the state has changed by itself.
  var onChange: @MainActor () -> Void = {}

  /// What everybody hears.
  let fan = SoundFan()
  /// Whether a recording needs the sound, also without a client.
  var isRecorded = false { didSet { settle() } }

  private let hub: Hub
  private var wanted: Set<Topic> = []
  private var analyzers: [Topic: Task<Void, Never>] = [:]
  private var capture: Task<Void, Never>?
  private let executor = DeviceExecutor()
  /// The newest task that opens and closes a device: the next one waits for its end.
  private var closing: Task<Void, Never>?
  /// Ends an opening that takes too long.
  private var opening: Task<Void, Never>?
  private var position: Int64 = 0
  private var levels = LevelValues()
  private var nextBlock: UInt32?
  private var lastSignal = ContinuousClock.now
  private var watching: Task<Void, Never>?
  /// The search for devices that goes on.
  private var looking: Task<Void, Never>?
  /// Whether an action has waited for it in vain: the next ones wait no more.
  private var isLate = false
  /// The time in which the sound system is to answer.
  private static let patience = Duration.seconds(5)
  private static let advice = "Try it again, or restart the sound system of the server."
  /// The time for what is heard to end when the server stops.
  private static let farewellTime = Duration.milliseconds(100)
  /// The time without a signal after which the state says so.
  private static let silence = Duration.seconds(1)
  /// The seconds from one value to the next at least: a page is written to no more often, and sound comes in blocks of 20 ms.
  private nonisolated static let period = 0.04
  /// The seconds of sound that can be lost at once.
  private static let longestGap = 10.0

  /// - Parameter hub: where the values go.
  init(hub: Hub) throws(AudioError) {
    self.hub = hub
    format = try AudioFormat(sampleRate: 48_000, channels: 2)
    settings = try .graphic(gains: [Double](repeating: 0, count: 2 * EqualizerSettings.centerFrequencies.count))
    equalizer = try Equalizer(format: format, settings: settings)
  }

  /// Looks for devices, which takes a moment: beside the sound.
  func findDevices() { _ = search() }

  /// Whether there is a device of a name that captures, also one that was plugged in just now.
  func has(device name: String) async throws(ActionError) -> Bool {
    if name == AudioDevice.demo.name { return true }
    if !devices.contains(where: { $0.name == name }) {
      let search = search()
      guard !isLate, await outcome(within: Self.patience, of: { await search.value }) != nil else {
        isLate = looking != nil
        throw ActionError("refused", "the sound system does not answer", advice: Self.advice)
      }
    }
    return devices.contains { $0.name == name }
  }

  /// Asks the system once, however many wait: its sound server may answer late or never, for which no task's thread waits.
  private func search() -> Task<Void, Never> {
    if let looking { return looking }
    let task = Task {
      let all = try? await NIOThreadPool.singleton.runIfActive { try AudioDevice.all() }
      (looking, isLate) = (nil, false)
      let found = (all ?? []).filter(\.captures)
      guard found != devices else { return }
      devices = found
      onChange()
    }
    looking = task
    return task
  }

  /// Chooses the source, and the name of what is heard by it.
  func select(_ source: Source, of name: String? = nil) throws(AudioError) {
    // The same browser may begin anew.
    nextBlock = nil
    levels = LevelValues()
    guard source != self.source else { return device = name.map(Self.short) }
    (self.source, failure, reading, position, nextBlock) = (source, nil, nil, 0, nil)
    device = name.map(Self.short)
    endCapture()
    if case .device = source { try set(sampleRate: 48_000) }
    watching?.cancel()
    watching = nil
    settle()
  }

  /// Sets the offset of a device in dB; nil: it is not calibrated.
  func setCalibration(_ offset: Double?, of name: String) throws(ActionError) {
    let name = Self.short(name)
    guard !name.isEmpty else {
      throw ActionError("wrongState", "expected the name of a device, or a sound", advice: "Choose a sound first.")
    }
    guard offset == nil || calibrations[name] != nil || calibrations.count < Self.maximumCalibrationCount else {
      throw ActionError("validation", "expected \(Self.maximumCalibrationCount) calibrated devices at most")
    }
    calibrations[name] = offset
    calibrate()
  }

  /// Gives the meter the calibration of what is heard.
  private func calibrate() {
    let offset = device.flatMap { calibrations[$0] }
    if offset != meterConfiguration.calibration.offset { meterConfiguration.calibration.offset = offset }
  }

  /// Whether the analyzer of a topic runs.
  func isAnalyzed(for topic: Topic) -> Bool { analyzers[topic] != nil }

  /// Whether the format is the source's: that of a browser is known with its first block.
  var isHeard: Bool { if case .browser = source { nextBlock != nil } else { true } }

  /// The topics of sound that clients receive.
  func want(_ topics: Set<Topic>) {
    wanted = topics.intersection(Topic.ofSound)
    if !wanted.contains(.levels) { levels = LevelValues() }
    settle()
  }

  /// Takes a block of a browser's microphone; ignored unless that client is the source.
  func push(_ block: MicrophoneBlock, from client: Int) throws(AudioError) {
    guard source == .browser(client) else { return }
    try set(sampleRate: block.sampleRate)
    var lost = Int64(block.sequence &- (nextBlock ?? block.sequence)) * Int64(block.samples.count)
    // A longer gap is another beginning, or no number that a browser sends.
    if Double(lost) > Self.longestGap * block.sampleRate { lost = 0 }
    nextBlock = block.sequence &+ 1
    position += lost
    let samples = block.samples.flatMap { [$0, $0] }
    let buffer = try PCMBuffer(format: format, samples: samples, position: position, droppedFrames: lost)
    position += Int64(block.samples.count)
    hear(buffer, by: equalizer)
  }

  /// Changes the gains, or what else the equalizer does.
  func set(_ settings: EqualizerSettings, isBypassed: Bool) async throws(AudioError) {
    // A sound of another rate may bring another equalizer during each wait.
    var changed: Equalizer
    repeat {
      changed = equalizer
      try await changed.set(settings.limited(toSampleRate: format.sampleRate))
      if isBypassed != self.isBypassed { try await changed.setBypassed(isBypassed) }
    } while changed !== equalizer
    (self.settings, self.isBypassed) = (settings, isBypassed)
  }

  /// Stops everything.
  func stop() async {
    let running = Array(analyzers.values) + (capture.map { [$0] } ?? [])
    analyzers = [:]
    endCapture()
    watching?.cancel()
    for task in running { task.cancel() }
    fan.finish()
    // A device may not be closed in time, or never.
    await outcome(within: Self.farewellTime) { for task in running { await task.value } }
  }

  private func endCapture() {
    for task in [capture, opening] { task?.cancel() }
    (capture, opening) = (nil, nil)
  }

  private func set(sampleRate: Double) throws(AudioError) {
    guard sampleRate != format.sampleRate else { return }
    let format = try AudioFormat(sampleRate: sampleRate, channels: 2)
    equalizer = try Equalizer(
      format: format, settings: settings.limited(toSampleRate: sampleRate), isBypassed: isBypassed)
    self.format = format
    levels = LevelValues()
    for topic in Array(analyzers.keys) { restart(topic) }
  }

  /// Runs what is wanted, and nothing else.
  private func settle() {
    let running = source == .none ? [] : wanted
    for (topic, task) in analyzers where !running.contains(topic) {
      task.cancel()
      analyzers[topic] = nil
      if topic == .meter { reading = nil }
    }
    for topic in running where analyzers[topic] == nil { begin(topic) }
    if source == .none || running.isEmpty && !isRecorded {
      endCapture()
      watching?.cancel()
      (watching, isSilent) = (nil, false)
    } else {
      if capture == nil, case .device(let name) = source { listen(to: name) }
      if watching == nil { watch() }
    }
  }

  /// Notes when there is no signal, from now on.
  private func watch() {
    (lastSignal, isSilent) = (.now, false)
    watching = Task { [weak self] in
      while (try? await Task.sleep(for: Self.silence / 4)) != nil {
        guard let self else { return }
        note(isSilent: lastSignal.duration(to: .now) >= Self.silence)
      }
    }
  }

  private func note(isSilent: Bool) {
    guard isSilent != self.isSilent else { return }
    self.isSilent = isSilent
    onChange()
  }

  private func restart(_ topic: Topic) {
    guard let task = analyzers.removeValue(forKey: topic) else { return }
    task.cancel()
    if topic == .meter { reading = nil }
    begin(topic)
  }

  private func listen(to name: String) {
    let (format, equalizer) = (format, equalizer)
    let isDemo = name == AudioDevice.demo.name
    // While the system has not returned from a device, no other one is opened.
    let before = isDemo ? nil : closing
    let task = Task<Void, Never>.detached(executorPreference: isDemo ? nil : executor) { [weak self] in
      await before?.value
      do {
        try Task.checkCancellation()
        let capture = try AudioCapture(DeviceConfiguration(device: name, format: format))
        let buffers = try await capture.buffers(of: .milliseconds(20))
        await self?.opened()
        for try await buffer in buffers {
          guard await self?.take(buffer, by: equalizer) == true else { return }
        }
      } catch {
        await self?.ended(error)
      }
    }
    capture = task
    guard !isDemo else { return }
    closing = task
    opening = Task { [weak self] in
      guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
      self?.failed("The sound system does not answer. \(Self.advice)")
    }
  }

  private func opened() {
    guard !Task.isCancelled else { return }
    opening?.cancel()
    opening = nil
  }

  /// Hears a buffer of a device; false: it is the source no longer.
  private func take(_ buffer: PCMBuffer, by equalizer: Equalizer) -> Bool {
    guard !Task.isCancelled else { return false }
    hear(buffer, by: equalizer)
    return true
  }

  private func ended(_ error: any Error) {
    if !Task.isCancelled { failed(error) }
  }

  private func hear(_ buffer: PCMBuffer, by equalizer: Equalizer) {
    if buffer.samples.contains(where: { $0 != 0 }) {
      lastSignal = .now
      note(isSilent: false)
    }
    do {
      let after = try equalizer.process(buffer)
      fan.push(after)
      let least = Int(Self.period * format.sampleRate)
      if wanted.contains(.levels), let value = levels.add(buffer, after, least: least) { hub.publish(.levels, value) }
    } catch {
      failed(error)
    }
  }

  private func begin(_ topic: Topic) {
    let (fan, hub, format) = (fan, hub, format)
    switch topic {
    case .meter:
      let configuration = meterConfiguration
      run(topic) { [weak self] in
        let meter = try SoundLevelMeter(format: format, configuration: configuration)
        for try await reading in try await meter.readings(of: fan, every: .milliseconds(50)) {
          hub.publish(.meter, Self.payload(reading))
          await self?.keep(reading)
        }
      }
    case .spectrum:
      let (size, window, range) = (spectrumSize, spectrumWindow, spectrumRange)
      run(topic) {
        let rows = try SpectrumRows(size: size, window: window, sampleRate: format.sampleRate, frequencies: range)
        try await rows.run(fan, hub)
      }
    case .pitch:
      let configuration = tunerConfiguration
      run(topic) {
        let tuner = try Tuner(format: format, configuration: configuration)
        for try await update in try await tuner.updates(of: fan, every: .seconds(Self.period)) {
          hub.publish(.pitch, Self.payload(update))
        }
      }
    case .voice:
      run(topic) {
        let analyzer = try VoiceAnalyzer(format: format)
        let step = max(1, Int((Self.period * format.sampleRate / Double(analyzer.hop)).rounded(.up)))
        var number = 0
        for try await frame in try await analyzer.frames(of: fan) {
          if number.isMultiple(of: step) { hub.publish(.voice, Self.payload(frame)) }
          number += 1
        }
      }
    case .levels, .prices, .candles, .tempo, .lights, .recording, .camera: break
    }
  }

  private func run(_ topic: Topic, _ body: @escaping @Sendable () async throws -> Void) {
    analyzers[topic] = Task { [weak self] in
      do {
        try await body()
      } catch {
        if !Task.isCancelled { self?.failed(error) }
      }
    }
  }

  private func keep(_ reading: SoundLevelReading) { self.reading = reading }

  private func failed(_ error: any Error) {
    failed((error as? AudioError).map { "\($0.message). \($0.advice)" } ?? "\(error)")
  }

  private func failed(_ reason: String) {
    fan.finish()
    failure = reason
    (source, device) = (.none, nil)
    settle()
    onChange()
  }
}
