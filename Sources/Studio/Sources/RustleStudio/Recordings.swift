internal import Foundation
internal import RustleAudio
internal import RustleAudioFiles
internal import StudioCore

/// The recordings of a folder, and the one that runs.
@MainActor
final class Recordings {
  /// The formats that are offered, by their extensions.
  nonisolated static let formats = ["wav", "flac", "ogg"]
  /// The most recordings that are listed: the newest.
  private nonisolated static let maximumCount = 500
  /// The sound from one value to the next at least: a page is written to no more often.
  private nonisolated static let period = Duration.milliseconds(40)

  /// The folder, which is made with the first recording.
  nonisolated let folder: URL
  /// The name of the recording that runs; nil: none does.
  private(set) var name: String?
  private(set) var isPaused = false
  /// The sound in the file of the one that runs.
  private(set) var duration = Duration.zero
  /// Why the last recording ended early.
  private(set) var failure: String?
  /// Is called when the state has changed by itself.
  var onChange: @MainActor () -> Void = {}

  private let hub: Hub
  private let recorder = Recorder()
  private var running: Task<Void, Never>?

  init(hub: Hub, folder: URL) { (self.hub, self.folder) = (hub, folder) }

  /// Records the sound from now on, into a file whose name is the time.
  func start(_ sound: SoundFan, _ format: AudioFormat, as fileExtension: String) async throws {
    guard name == nil else {
      throw ActionError(
        "wrongState", "expected a recorder that is idle, got one that records", advice: "Stop it first.")
    }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw Self.failure("the folder of recordings could not be made", error)
    }
    let name = freeName(fileExtension)
    self.name = name
    do {
      try await recorder.start(sound, format: format, to: folder.appending(path: name).path)
    } catch {
      self.name = nil
      throw error
    }
    (isPaused, duration, failure) = (false, .zero, nil)
    let (hub, recorder) = (hub, recorder)
    let progress = await recorder.progress()
    running = Task { [weak self] in
      async let end = Self.end(of: recorder)
      await Self.show(progress, hub) { self?.reached($0, isChanged: $1) }
      self?.ended(await end)
    }
  }

  /// Leaves the sound out until it is resumed.
  func setPaused(_ isPaused: Bool) async throws {
    if isPaused { try await recorder.pause() } else { try await recorder.resume() }
    self.isPaused = isPaused
  }

  /// Ends the recording, and returns when its file is closed.
  func stop() async {
    guard name != nil else { return }
    // The task that waits for the end has the result.
    _ = try? await recorder.stop()
    await running?.value
  }

  /// Deletes a recording.
  func delete(_ name: String) throws {
    guard name != self.name, has(name) else {
      throw ActionError("validation", "name: expected a recording that has ended, got \(name)")
    }
    do {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    } catch {
      throw Self.failure("\(name) could not be deleted", error)
    }
  }

  /// Whether there is a recording of a name.
  nonisolated func has(_ name: String) -> Bool { Self.isName(name) && size(of: name) != nil }

  /// The newest recordings, the newest first.
  nonisolated func newest() -> [(name: String, bytes: Int)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter(Self.isName).sorted(by: >).prefix(Self.maximumCount).compactMap { name in
      size(of: name).map { (name, $0) }
    }
  }

  private nonisolated static func isName(_ name: String) -> Bool {
    // By bytes: a letter that combines with a slash would hide it.
    let bytes = name.utf8
    return formats.contains(URL(fileURLWithPath: name).pathExtension) && bytes.first != UInt8(ascii: ".")
      && !bytes.contains(UInt8(ascii: "/"))
  }

  /// The bytes of a file; nil: there is none, or a link to one.
  nonisolated func size(of name: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
    return attributes?[.type] as? FileAttributeType == .typeRegular ? attributes?[.size] as? Int : nil
  }

  private func freeName(_ fileExtension: String) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd HH.mm.ss"
    let time = formatter.string(from: Date())
    let names = sequence(first: 1) { $0 + 1 }.lazy.map {
      $0 == 1 ? "\(time).\(fileExtension)" : "\(time) \($0).\(fileExtension)"
    }
    return names.first { !FileManager.default.fileExists(atPath: folder.appending(path: $0).path) }
      ?? "\(time).\(fileExtension)"
  }

  /// With the system's reason, without the folder, which is the server's own affair.
  private static func failure(_ what: String, _ error: any Error) -> ActionError {
    ActionError(
      "refused", "\(what): \(error.localizedDescription)", advice: "Check the folder of --recordings on the server.")
  }

  private func reached(_ duration: Duration, isChanged: Bool) {
    self.duration = duration
    if isChanged { onChange() }
  }

  private func ended(_ failure: String?) {
    // The folder is the server's own affair.
    var failure = failure?.replacing(folder.path + "/", with: "")
    // It names the file at its end, too.
    if let start = name.map({ "\($0): " }), let text = failure, text.hasPrefix(start) {
      failure = String(text.dropFirst(start.count))
    }
    (name, running, isPaused, self.failure) = (nil, nil, false, failure)
    onChange()
  }

  /// Why a recording ended early; nil: it was stopped.
  private nonisolated static func end(of recorder: Recorder) async -> String? {
    do {
      _ = try await recorder.finished()
      return nil
    } catch {
      let localized = error as? any LocalizedError
      let text = localized?.errorDescription ?? "\(error)"
      return [text, localized?.recoverySuggestion].compactMap(\.self).joined(separator: ". ")
    }
  }

  /// Publishes the progress at the pace of a page, and what a pause or the end leaves.
  private nonisolated static func show(
    _ progress: AsyncStream<RecorderProgress>, _ hub: Hub, _ reached: @MainActor (Duration, _ isChanged: Bool) -> Void
  ) async {
    var (shown, newest): (RecorderProgress?, RecorderProgress?) = (nil, nil)
    for await each in progress {
      newest = each
      if let shown, each.isPaused == shown.isPaused, each.duration < shown.duration + period { continue }
      hub.publish(.recording, payload(each))
      await reached(each.duration, shown.map { $0.isPaused != each.isPaused } ?? false)
      shown = each
    }
    if let newest, newest != shown { hub.publish(.recording, payload(newest)) }
  }

  /// The seconds in the file, then the peak of each channel in dBFS.
  private nonisolated static func payload(_ progress: RecorderProgress) -> [UInt8] {
    var payload: [UInt8] = []
    payload.append(number: progress.duration / .seconds(1))
    for level in progress.levels.prefix(2) { payload.append(number: Float(level.peak)) }
    return payload
  }
}
