internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import RustleAccounts
internal import ServiceLifecycle
internal import StudioCore
internal import Synchronization

/// The routes of an account's settings.
struct SettingRoutes: Sendable {
  /// The characters of a device's name of itself.
  static let maximumDeviceLength = 64

  let accounts: Accounts

  func equalizer(_ call: AccountCall) async throws -> Response {
    Response(json: .object(try await accounts.setting(SettingName.equalizer, try await call.signedIn()).json))
  }

  func saveEqualizer(_ call: AccountCall) async throws -> Response {
    let signedIn = try await call.signedIn()
    return try await save(SettingName.equalizer, try Self.bands(call.body).bytes, call, signedIn)
  }

  func all(_ call: AccountCall) async throws -> Response {
    var settings: [String: JSON] = [:]
    for setting in try await accounts.settings(try await call.signedIn()) {
      settings[setting.name] = .object(setting.json)
    }
    return Response(json: ["v": .number(1), "settings": .object(settings)])
  }

  func one(_ call: AccountCall) async throws -> Response {
    let signedIn = try await call.signedIn()
    return Response(json: .object(try await accounts.setting(try Self.name(call), signedIn).json))
  }

  func save(_ call: AccountCall) async throws -> Response {
    let signedIn = try await call.signedIn()
    let name = try Self.name(call)
    guard name != SettingName.equalizer else {
      throw AccountRefusal(.validation, "name: expected another name; the equalizer is at /api/eq", field: "name")
    }
    let value = call.body["value"]
    return try await save(name, value == .null ? nil : Data(value.text.utf8), call, signedIn)
  }

  /// The gains of a body or a message.
  static func bands(_ body: JSON) throws -> EqualizerValue {
    guard let array = body["bands"].array, case let numbers = array.compactMap(\.number), numbers.count == array.count,
      let value = EqualizerValue(numbers.map { Float($0) })
    else { throw AccountRefusal(.validation, "bands: expected 28 numbers within ±12", field: "bands") }
    return value
  }

  /// The text by which a device knows what it sent itself.
  static func device(_ body: JSON) throws -> String {
    let device = body["device"].string ?? ""
    guard device.unicodeScalars.count <= maximumDeviceLength else {
      throw AccountRefusal(.validation, "device: expected at most \(maximumDeviceLength) characters", field: "device")
    }
    return device
  }

  /// The revision that a value is based on.
  static func revision(_ body: JSON) throws -> Int64 {
    guard let base = body["rev"].number.flatMap({ Int64(exactly: $0) }), base >= 0 else {
      throw AccountRefusal(.validation, "rev: expected the revision that the value is based on", field: "rev")
    }
    return base
  }

  private static func name(_ call: AccountCall) throws -> String {
    let name = call.rest
    guard SettingName.isValid(name) else {
      throw AccountRefusal(.validation, "name: expected \(SettingName.expectation)", field: "name")
    }
    return name
  }

  private func save(
    _ name: String, _ value: Data?, _ call: AccountCall, _ signedIn: Accounts.SignedIn
  ) async throws -> Response {
    let base = try Self.revision(call.body)
    switch try await accounts.save(name, base: base, value: value, device: try Self.device(call.body), signedIn) {
    case .saved(let setting): return Response(json: ["v": .number(1), "rev": .integer(setting.revision)])
    case .conflict(let setting):
      var body = setting.json
      body["error"] = AccountRefusal(.conflict, "rev: expected \(setting.revision), got \(base)", field: "rev").json
      return Response(json: .object(body), status: .conflict)
    }
  }

  // MARK: Events

  /// The equalizer's values as server-sent events: the present one, and each that is saved.
  func events(_ call: AccountCall) async throws -> Response {
    let signedIn = try await call.signedIn()
    // What is refused is refused before the answer begins.
    _ = try await accounts.setting(SettingName.equalizer, signedIn)
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { [accounts] writer in
        try await call.request.body.consumeWithCancellationOnInboundClose { _ in
          try await Self.run(&writer, accounts, signedIn)
        }
        try await writer.finish(nil)
      })
  }

  private static func run(
    _ writer: inout any ResponseBodyWriter, _ accounts: Accounts, _ signedIn: Accounts.SignedIn
  ) async throws {
    // A reader that is slow gets the newest revision.
    let newest = Mutex<Setting?>(nil)
    let (wakes, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let subscriber = try await accounts.subscribe(signedIn) { event in
      switch event {
      case .setting(let setting):
        guard setting.name == SettingName.equalizer else { return }
        newest.withLock { $0 = setting }
        signal.yield()
      case .preview: break
      case .ended: signal.finish()
      }
    }
    guard let subscriber else { return }
    defer { accounts.unsubscribe(subscriber) }
    let ticks = Task {
      while !Task.isCancelled {
        let left = Double(signedIn.session.expires) - Date.now.timeIntervalSince1970
        guard left > 0 else { return signal.finish() }
        try await Task.sleep(for: min(EventStream.silence, .seconds(left)))
        signal.yield()
      }
    }
    defer { ticks.cancel() }
    var last = try await accounts.setting(SettingName.equalizer, signedIn, isCounted: false)
    try await writer.write(EventStream.beginning)
    try await writer.write(ByteBuffer(string: last.event))
    for await _ in wakes.cancelOnGracefulShutdown() {
      if let change = newest.withLock({ $0.take() }), change.revision > last.revision {
        last = change
        try await writer.write(ByteBuffer(string: change.event))
      } else {
        try await writer.write(ByteBuffer(string: EventStream.comment))
      }
    }
  }
}

/// The names of settings.
enum SettingName {
  static let equalizer = "eq"
  /// What stands before a name of the user's own: presets, the calibration of a device, a list of symbols.
  private static let groups = ["eq/presets/", "meter/", "ticker/"]
  private static let single = [equalizer, "tuner"]
  private static let maximumLength = 64

  static let expectation =
    "eq, tuner, eq/presets/NAME, meter/NAME or ticker/NAME, with a NAME of 1 to 64 characters in normalization form C"

  static func isValid(_ name: String) -> Bool {
    // Two forms of a text are equal as strings, and are two names in the file.
    guard name.precomposedStringWithCanonicalMapping.utf8.elementsEqual(name.utf8) else { return false }
    if single.contains(name) { return true }
    guard let group = groups.first(where: name.hasPrefix) else { return false }
    let own = name.dropFirst(group.count).unicodeScalars
    // What clients and proxies remove from a path, so that another setting would be meant.
    guard
      own.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({ !["", ".", ".."].contains(String($0)) })
    else { return false }
    return (1...maximumLength).contains(own.count) && own.allSatisfy { $0.value >= 32 && $0.value != 127 }
  }
}

extension Setting {
  /// The revision, and the value or the bands.
  var json: [String: JSON] {
    var fields: [String: JSON] = ["v": .number(1), "rev": .integer(revision)]
    if name == SettingName.equalizer {
      fields["bands"] = .numbers((value.flatMap { EqualizerValue(bytes: $0) } ?? .flat).numbers)
    } else {
      fields["value"] = value.flatMap { JSON(text: $0) } ?? .null
    }
    return fields
  }

  fileprivate var event: String {
    var fields = json
    fields["device"] = .string(device)
    return "event: eq\nid: \(revision)\ndata: \(JSON.object(fields).text)\n\n"
  }
}
