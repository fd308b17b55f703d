internal import Rustle
internal import StudioCore

extension Studio {
  /// Finds the fixtures with a camera: on the output that is armed, or on simulated lamps.
  func startMapping(_ arguments: Arguments, _ client: Int?) async throws {
    guard !mapping.isRunning else {
      throw ActionError("wrongState", "expected a mapping that has ended, got one that runs", advice: "Stop it first.")
    }
    var settings = MappingSettings()
    let method = try arguments.string("method", default: settings.method.rawValue)
    guard let method = MappingSettings.Method(rawValue: method) else {
      let all = MappingSettings.Method.allCases.map(\.rawValue).joined(separator: ", ")
      throw ActionError("validation", "method: expected \(all), got \(method)")
    }
    settings.method = method
    settings.hold = try arguments.integer("hold", in: 1...1_000, default: settings.hold)
    settings.lightsAgain = arguments["again"] != false
    switch try arguments.string("source") {
    case "simulated":
      let name = try arguments.string("scene", default: SimulatedCamera.Scene.club.rawValue)
      guard let scene = SimulatedCamera.Scene(rawValue: name) else {
        let all = SimulatedCamera.Scene.allCases.map(\.rawValue).joined(separator: ", ")
        throw ActionError("validation", "scene: expected \(all), got \(name)")
      }
      try await mapping.simulate(try lights.rig(), scene, settings: settings)
    case "server":
      guard let frame = try serverCamera.frame else {
        throw ActionError(
          "wrongState", "expected a frame of the server's camera, got none yet",
          advice: "Open the camera, and wait for its picture.")
      }
      try await map(.server, width: frame.width, height: frame.height, settings)
    case "browser":
      guard let client else {
        throw ActionError("validation", "expected a client with a camera, got a request without a WebSocket")
      }
      let width = try arguments.integer("width", in: CameraFrame.sides)
      let height = try arguments.integer("height", in: CameraFrame.sides)
      guard width * height <= CameraFrame.maximumPixelCount else {
        throw ActionError(
          "validation", "expected at most \(CameraFrame.maximumPixelCount) pixels, got \(width) times \(height)")
      }
      let camera = hub.clients.first { $0.id == client }?.cameraSize(within: Mapping.silence)
      guard let camera, camera == (width, height) else {
        let got = camera.map { "one of \($0.width) times \($0.height)" } ?? "none"
        throw ActionError(
          "wrongState", "expected a frame of the client's camera of \(width) times \(height) pixels, got \(got)",
          advice: "Send a frame before the start.")
      }
      try await map(.browser(client), width: width, height: height, settings)
    case let other: throw ActionError("validation", "source: expected browser, server or simulated, got \(other)")
    }
  }

  /// Opens or closes the server's camera.
  func openCamera(_ isWanted: Bool) throws {
    let camera = try serverCamera
    if isWanted {
      camera.open()
      // Whoever opens it has the time to look.
      lookAnew()
    } else {
      guard !(mapping.isRunning && mapping.source == .server) else {
        throw ActionError(
          "wrongState", "expected a camera that nobody uses, got one that maps", advice: "Stop the mapping first.")
      }
      camera.close()
    }
  }

  private var serverCamera: ServerCamera {
    get throws {
      guard let camera = mapping.camera else {
        throw ActionError(
          "wrongState", "expected a camera of the server, got none", advice: "Start the studio with --camera.")
      }
      return camera
    }
  }

  /// Maps on the output that is armed.
  private func map(_ source: Mapping.Source, width: Int, height: Int, _ settings: MappingSettings) async throws {
    try expectLight()
    let before = try await lights.universeLevels()
    let sender = try await lights.lend()
    do {
      try expectLight()
      try await mapping.start(
        try lights.rig(), source, width: width, height: height, settings: settings, restoring: before,
        output: { [lights] levels in try await lights.light(levels, with: sender) }
      ) { [lights] in await lights.takeBack() }
      // A blackout or a disarming while it started has found no mapping to end.
      if lights.isBlackout || !lights.isLent { await mapping.stop() }
      try expectLight()
      guard lights.output != nil else { throw Lights.takenBack }
    } catch {
      await lights.takeBack()
      throw error
    }
  }

  /// No lamp is lit in the dark that somebody has made.
  private func expectLight() throws {
    guard !lights.isBlackout else {
      throw ActionError("wrongState", "expected the light on, got a blackout", advice: "Restore the light first.")
    }
  }
}
