internal import Foundation
internal import Rustle
internal import StudioCore

/// Finds the fixtures of the show in the frames of a camera: one mapping at a time, however many clients there are.
@MainActor
final class Mapping {
  /// Where frames come from.
  enum Source: Equatable {
    /// The camera of a client.
    case browser(Int)
    /// The camera of the server.
    case server
    /// A simulated camera, which looks at simulated lamps.
    case simulated
  }

  /// The time without a frame after which the lamps are not left in a pattern.
  static let silence = Duration.seconds(10)
  /// The time between two states of a mapping that goes on, and between two frames that are shown.
  private static let pause = Duration.milliseconds(200)
  /// The most pixels of a picture that is shown of the server's camera.
  private nonisolated static let shownPixelCount = 320 * 240
  /// The frames that wait for the mapper.
  private static let capacity = 2

  private(set) var source: Source?
  /// Whether lamps are lit in patterns, until they are the show's again.
  private(set) var isRunning = false
  private(set) var settings = MappingSettings()
  /// How far the newest mapping is.
  private(set) var update: CameraMapper.Update?
  /// What it has found so far.
  private(set) var map: FixtureMap?
  /// The number of the map: it grows with each.
  private(set) var mapNumber = 0
  /// The cells that are looked for, by their ids.
  private(set) var cells: [String] = []
  /// The frames that came faster than the mapper took them.
  private(set) var lostFrames: UInt64 = 0
  /// The error that ended it.
  private(set) var failure: ActionError?
  /// Is called when the state has changed by itself.
  var onChange: @MainActor () -> Void = {}

  /// The camera of the server; nil: it has none.
  let camera: ServerCamera?
  private let hub: Hub
  private var mapper: CameraMapper?
  private var running: Task<Void, Never>?
  private var watching: Task<Void, Never>?
  private var frames: AsyncStream<Data>.Continuation?
  private var size = (width: 0, height: 0)
  private var lastFrame = ContinuousClock.now
  private var lastState = ContinuousClock.now
  private var lastPicture = ContinuousClock.now
  /// A picture on its way to those who look: beside what is performed here.
  private var drawing: Task<Void, Never>?
  /// Whether it is being ended: then no error is news.
  private var isStopping = false

  init(hub: Hub, camera input: CameraInput?) {
    self.hub = hub
    camera = input.map { ServerCamera($0) }
    camera?.onFrame = { [weak self] in self?.push($0) }
    camera?.onChange = { [weak self] in
      guard let self else { return }
      if camera?.isOpen == false { left(.server) }
      onChange()
    }
  }

  /// Maps the cells of a rig with a camera.
  ///
  /// - Parameters:
  ///   - restored: the levels before, at which what is no light stays, as pan and tilt; they are lit again at the end.
  ///   - output: takes the levels to light.
  ///   - giveBack: is called when no more levels come.
  func start(
    _ rig: StudioShow.CellRig, _ source: Source, width: Int, height: Int, settings: MappingSettings,
    restoring restored: CameraMapper.Levels, output: @escaping CameraMapper.Output,
    giveBack: @escaping @MainActor () async -> Void
  ) async throws(LightingError) {
    let (stream, frames) = AsyncStream.makeStream(of: Data.self, bufferingPolicy: .bufferingNewest(Self.capacity))
    try await start(rig, source, stream, (width, height), settings, restored, output, giveBack)
    self.frames = frames
    lastFrame = .now
    watching = Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(1))
        guard let self, lastFrame.duration(to: .now) < Self.silence else { return frames.finish() }
      }
    }
  }

  /// Maps the cells of a rig with a simulated camera, which sees what is lit.
  func simulate(
    _ rig: StudioShow.CellRig, _ scene: SimulatedCamera.Scene, settings: MappingSettings
  ) async throws(LightingError) {
    let camera = try SimulatedCamera(scene, width: 320, height: 240, rig: rig.json)
    let stage = SimulatedStage(camera)
    let stream = AsyncStream<Data> { [weak self] in
      guard let frame = await stage.next() else { return nil }
      await self?.show(GrayFrame(width: camera.width, height: camera.height, pixels: frame))
      return frame
    }
    let size = (camera.width, camera.height)
    try await start(rig, .simulated, stream, size, settings, [:], { try await stage.light($0) }) {}
  }

  /// Takes a frame of a client's camera; ignored unless it is the source.
  func push(_ frame: CameraFrame, from client: Int) {
    guard source == .browser(client), isRunning, (frame.width, frame.height) == size else { return }
    push(GrayFrame(width: frame.width, height: frame.height, pixels: Data(frame.pixels)), to: .browser(client))
  }

  /// Ends the frames of a source that is gone.
  func left(_ source: Source) { if self.source == source { frames?.finish() } }

  /// Ends the mapping, and returns when the lamps are the show's again.
  func stop() async {
    isStopping = isRunning
    await mapper?.cancel()
    await running?.value
  }

  /// Closes the server's camera when nobody looks at it.
  func look(_ isWanted: Bool) {
    guard let camera, camera.isOpen, !isWanted, !(isRunning && source == .server) else { return }
    camera.close()
    onChange()
  }

  /// Takes a frame of the server's camera.
  private func push(_ frame: GrayFrame) {
    if isRunning, source == .server { return push(frame, to: .server) }
    if !isRunning { show(frame) }
  }

  private func push(_ frame: GrayFrame, to source: Source) {
    guard let frames else { return }
    lastFrame = .now
    if case .dropped = frames.yield(frame.pixels) { lostFrames += 1 }
    show(frame)
  }

  private func start(
    _ rig: StudioShow.CellRig, _ source: Source, _ frames: AsyncStream<Data>, _ size: (width: Int, height: Int),
    _ settings: MappingSettings, _ restored: CameraMapper.Levels, _ output: @escaping CameraMapper.Output,
    _ giveBack: @escaping @MainActor () async -> Void
  ) async throws(LightingError) {
    var settings = settings
    settings.format = .gray(width: size.width, height: size.height)
    let mapper = CameraMapper(settings)
    let updates = try await mapper.map(rig.json, frames: frames, restoring: restored, output: output)
    (self.mapper, self.source, self.settings, self.size, isRunning) = (mapper, source, settings, size, true)
    (update, map, lostFrames, failure, cells) = (nil, nil, 0, nil, rig.cells)
    mapNumber += 1
    if case .browser(let client) = source { hub.setSource(of: .camera, to: client) }
    running = Task { [weak self] in
      var failure: (any Error)?
      do {
        for try await update in updates { self?.show(update) }
      } catch {
        failure = error
      }
      await giveBack()
      self?.ended(failure)
    }
  }

  private func show(_ update: CameraMapper.Update) {
    self.update = update
    if let map = update.map {
      self.map = map
      mapNumber += 1
    } else if lastState.duration(to: .now) < Self.pause {
      return
    }
    lastState = .now
    onChange()
  }

  /// Shows a frame to those who look: width and height, each 2 bytes, and the gray of each pixel, row by row.
  private func show(_ frame: GrayFrame) {
    guard drawing == nil, lastPicture.duration(to: .now) >= Self.pause, hub.topics.contains(.camera) else { return }
    lastPicture = .now
    drawing = Task { [weak self, hub] in
      await Self.publish(frame, to: hub)
      self?.drawing = nil
    }
  }

  @concurrent
  private nonisolated static func publish(_ frame: GrayFrame, to hub: Hub) async {
    let frame = frame.reduced(to: shownPixelCount)
    var payload: [UInt8] = []
    payload.reserveCapacity(4 + frame.pixels.count)
    payload.append(integer: UInt16(clamping: frame.width))
    payload.append(integer: UInt16(clamping: frame.height))
    hub.publish(.camera, payload + frame.pixels)
  }

  private func ended(_ error: (any Error)?) {
    watching?.cancel()
    hub.setSource(of: .camera, to: nil)
    (mapper, running, watching, frames, isRunning) = (nil, nil, nil, nil, false)
    defer { isStopping = false }
    switch isStopping ? nil : error {
    case let error as any CodedError: failure = ActionError(error)
    case let error?: failure = ActionError("refused", "\(error)")
    case nil: break
    }
    onChange()
  }
}

extension Mapping {
  /// The state that clients are sent.
  var json: JSON {
    var state: [String: JSON] = [
      "running": .bool(isRunning), "method": .string(settings.method.rawValue), "hold": .integer(settings.hold),
      "again": .bool(settings.lightsAgain), "methods": .strings(MappingSettings.Method.allCases.map(\.rawValue)),
      "scenes": .strings(SimulatedCamera.Scene.allCases.map(\.rawValue)), "map": .integer(mapNumber),
      "lost": .integer(lostFrames), "count": .integer(map?.fixtures.count ?? cells.count),
      "found": .integer(map?.found.count ?? 0), "error": failure?.json ?? .null,
      "camera": camera?.json ?? .null,
    ]
    switch source {
    case .browser(let client):
      state["source"] = "browser"
      state["client"] = .integer(client)
    case .server: state["source"] = "server"
    case .simulated: state["source"] = "simulated"
    case nil: state["source"] = .null
    }
    if let update {
      state["phase"] = .string(update.phase.rawValue)
      state["part"] = .number(update.part)
      state["frames"] = .integer(update.frames)
      state["dropped"] = .integer(update.droppedFrames)
      state["delay"] = update.delay.map { .number($0) } ?? .null
    }
    return .object(state)
  }

  /// The map, and what its ids are.
  var result: JSON {
    ["map": map.flatMap { JSON(text: $0.json) } ?? .null, "cells": .strings(cells)]
  }
}

extension GrayFrame {
  /// A frame of at most so many pixels: the brightest of each block, since lamps are small.
  fileprivate func reduced(to count: Int) -> GrayFrame {
    let step = Int((Double(width * height) / Double(count)).squareRoot().rounded(.up))
    let (across, down) = (width / max(step, 1), height / max(step, 1))
    guard step > 1, across > 0, down > 0 else { return self }
    let pixels = Array(pixels)
    var small = [UInt8](repeating: 0, count: across * down)
    for row in 0..<(down * step) {
      for column in 0..<(across * step) {
        let place = row / step * across + column / step
        small[place] = max(small[place], pixels[row * width + column])
      }
    }
    return GrayFrame(width: across, height: down, pixels: Data(small))
  }
}

/// A simulated camera in the time of the server.
private actor SimulatedStage {
  private let camera: SimulatedCamera
  private var frame = 0

  init(_ camera: SimulatedCamera) { self.camera = camera }

  /// The next frame, when its time has come; nil after the end of the task.
  func next() async -> Data? {
    while (try? await Task.sleep(for: camera.interval)) != nil {
      frame += 1
      if let bytes = try? await camera.frame(at: camera.interval * frame) { return bytes }
    }
    return nil
  }

  /// A change is seen by the exposures after the next.
  func light(_ levels: CameraMapper.Levels) async throws {
    for (universe, levels) in levels {
      try await camera.light(universe, levels.bytes, at: camera.interval * (frame + 2))
    }
  }
}
