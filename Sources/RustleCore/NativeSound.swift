internal import CRustle

/// What a native capture or playback is of.
package struct NativeSoundConfiguration: Sendable {
  /// The device's name.
  package let device: String
  /// In Hz, 1 to 1,000,000.
  package let sampleRate: Int
  /// 1 to 32.
  package let channels: Int
  /// Frames between two wakes, 1 to 65,536.
  package let period: Int
  /// Frames after which a session ends by itself; nil: it does not.
  package let frameLimit: UInt64?

  package init(device: String, sampleRate: Int, channels: Int, period: Int, frameLimit: UInt64?) {
    self.device = device
    self.sampleRate = sampleRate
    self.channels = channels
    self.period = period
    self.frameLimit = frameLimit
  }

  /// Calls `body` with the native record, which is valid during the call. Numbers that no record can hold become ones that the
  /// native side refuses.
  func withRecord<Result>(
    runtime: NativeRuntime?, _ body: (UnsafePointer<RustleSoundConfiguration>) throws(NativeError) -> Result
  ) throws(NativeError) -> Result {
    try unsafe withNativeStrings([device]) { names throws(NativeError) in
      var record = unsafe RustleSoundConfiguration(
        device: names[0], frame_limit: frameLimit ?? 0, runtime: runtime?.raw ?? 0,
        sample_rate: UInt32(clamping: sampleRate), channels: UInt32(clamping: channels),
        period: UInt32(clamping: period), reserved: 0)
      return try unsafe withUnsafePointer(to: &record) { record throws(NativeError) in try unsafe body(record) }
    }
  }
}

/// A sound device that can be opened by its name.
package struct NativeSoundDevice: Sendable, Hashable {
  package let name: String
  package let description: String
  package let captures: Bool
  package let plays: Bool

  /// The devices that the system's configuration names.
  package static func all() throws(NativeError) -> [Self] {
    try NativeLibrary.prepare()
    var devices: [Self] = []
    try unsafe withUnsafeMutablePointer(to: &devices) { devices throws(NativeError) in
      try unsafe NativeError.check { unsafe rustle_sound_devices(addDevice, devices, $0) }
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
