/// The devices that a user may choose from.
package struct DeviceList: Sendable {
  /// The built-in device, then the system's.
  package let devices: [AudioDevice]
  /// The reason that the system has no devices; nil when it has some.
  package let note: String?

  /// - Parameter listing: returns the system's devices, usually `AudioDevice.all`.
  package init(_ listing: () throws(AudioError) -> [AudioDevice]) {
    do throws(AudioError) {
      let found = try listing()
      devices = [.demo] + found
      note = found.isEmpty ? "this machine has no sound devices; only the built-in one is listed" : nil
    } catch {
      devices = [.demo]
      note = "the devices of this machine cannot be listed: \(error.message). \(error.advice)"
    }
  }
}
