import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct AudioDeviceTests {
  @Test func devicesAreNamedAndDoSomething() throws {
    let devices: [AudioDevice]
    do throws(AudioError) {
      devices = try AudioDevice.all()
    } catch {
      #expect(error.code == .noSoundLibrary)
      return
    }
    #expect(devices.allSatisfy { !$0.name.isEmpty && ($0.captures || $0.plays) })
    #expect(!devices.map(\.name).contains(AudioDevice.demo.name))
    #expect(Set(devices.map(\.name)).count == devices.count)
  }

  @Test func demoDoesBoth() {
    #expect(AudioDevice.demo.captures && AudioDevice.demo.plays)
    #expect(AudioDevice.demo.name == "demo")
    #expect(AudioDevice.defaultName == "default")
  }
}
