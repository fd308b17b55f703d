internal import CRustle

extension NativeSoundBlock {
  /// The samples of its frames.
  package var heard: [Float] {
    let count = frames * channels
    return count < samples.count ? Array(samples.prefix(count)) : samples
  }
}

/// A playback's session by its number. A number that outlives its session is stale: a call with it is refused.
package struct PlaybackID: Sendable, Hashable {
  private let session: SessionID

  /// The session behind a stream of a playback.
  package init<Value>(of stream: EngineStream<Value>) { session = stream.core.session.id }

  /// Writes as many whole frames as there is room for; returns the number of samples taken.
  package func write(_ samples: Span<Float>) throws(NativeError) -> Int {
    try NativeCalls.playbackWrite(session.raw, samples: samples)
  }

  /// Requests the session's end; does nothing when it has been freed.
  package func cancel() { session.cancel() }

  /// Marks the end of the sound; does nothing when the session has been freed.
  package func finish() {
    _ = NativeError.logging { () throws(NativeError) in try NativeCalls.playbackFinish(session.raw) }
  }
}

/// A sound device that can be opened by its name.
package struct NativeSoundDevice: Sendable, Hashable {
  package let name: String
  package let description: String
  package let captures: Bool
  package let plays: Bool

  /// Returns the devices of the system's configuration.
  package static func all() throws(NativeError) -> [Self] {
    try NativeLibrary.prepare()
    var devices: [Self] = []
    try unsafe withUnsafeMutablePointer(to: &devices) { devices throws(NativeError) in
      try unsafe NativeError.check {
        unsafe rustle_sound_devices_sized(addDevice, devices, MemoryLayout<RustleSoundDevice>.stride, $0)
      }
    }
    return devices
  }
}

/// Called by the native side during `NativeSoundDevice.all()`, with the array that it fills.
private func addDevice(_ context: UnsafeMutableRawPointer?, _ device: UnsafePointer<RustleSoundDevice>?) {
  guard let context = unsafe context, let device = unsafe device?.pointee else { return }
  let text = { (text: RustleString) in
    unsafe String(decoding: UnsafeBufferPointer(start: text.data, count: text.length), as: UTF8.self)
  }
  let devices = unsafe context.assumingMemoryBound(to: [NativeSoundDevice].self)
  unsafe devices.pointee.append(
    unsafe NativeSoundDevice(
      name: text(device.name), description: text(device.description), captures: device.captures != 0,
      plays: device.plays != 0))
}
