internal import ArgumentParser
import Foundation
import RustleAudio
import TestSupport
import Testing

@testable import RustleCLI

@Suite(.releasesNativeObjects) struct EqualizerParsingTests {
  static func command(_ arguments: [String]) throws -> EqualizerCommand {
    try #require(try RootCommand.parseAsRoot(["eq"] + arguments) as? EqualizerCommand)
  }

  @Test func eachFormOfTheCommandIsReported() throws {
    #expect(try Self.command(["a.wav", "b.flac"]).mode() == .file(input: "a.wav", output: "b.flac"))
    #expect(try Self.command(["-", "b.wav"]).mode() == .file(input: "-", output: "b.wav"))
    #expect(try Self.command(["--live", "--demo"]).mode() == .live)
    #expect(try Self.command(["--response", "--json"]).mode() == .response)
    #expect(try Self.command(["--export", "text"]).mode() == .export(.text))
  }

  @Test func theSettingsAddUp() throws {
    let gains = (0..<28).map { String($0 - 14) }.joined(separator: ",")
    let command = try Self.command([
      "a.wav", "b.wav", "--gains", gains, "--octaves", "2", "--band", "L:1000:-3:2", "--band", "hp:30", "--preamp",
      "-4.5",
    ])
    let request = try command.settings.request()
    let settings = request.settings
    #expect(settings.left.count == 16 && settings.right.count == 15)
    #expect(settings.left.prefix(14).map(\.gain) == (0..<14).map { Double($0 - 14) })
    #expect(settings.right.prefix(14).map(\.gain) == (0..<14).map { Double($0) })
    #expect(settings.left[0].q == EqualizerBand.q(forBandwidth: 2))
    #expect(settings.left[14] == EqualizerBand(.peaking, frequency: 1_000, gain: -3, q: 2))
    #expect(settings.left[15] == settings.right[14])
    #expect(settings.right[14].kind == .highPass && settings.right[14].frequency == 30)
    #expect(request.preamp == .decibels(-4.5))
    let prepared = try request.prepared(sampleRate: 48_000) { _ in }
    #expect(prepared.preamp == -4.5)
  }

  @Test func fourteenGainsAreThoseOfBothChannels() throws {
    let command = try Self.command(["--response", "--gains", "-6 0 0 0 0 0 0 0 0 0 0 0 0 1.5"])
    let settings = try command.settings.request().settings
    #expect(settings.left == settings.right)
    #expect(settings.left.map(\.gain) == [-6] + Array(repeating: 0, count: 12) + [1.5])
  }

  @Test(arguments: [
    ([], "expected an input and an output file, or --live, --response or --export, got none"),
    (["a.wav"], "expected a file to read and a file to write, got 'a.wav' alone"),
    (["a.wav", "b.wav", "--live"], "--live cannot be used with a file, got 'a.wav'"),
    (["--live", "--response"], "--live cannot be used with --response"),
    (["--live", "--octaves", "2"], "--octaves requires --gains"),
    (["--live", "--encoding", "s16"], "--encoding requires a file to write"),
    (["--response", "--overwrite"], "--overwrite requires a file to write"),
    (["--response", "--demo"], "--demo requires --live"),
    (["a", "b", "--duration", "1"], "--duration requires --live"),
    (["a", "b", "--png", "c.png"], "--png requires --response"),
    (["a", "b", "--rate", "8000"], "--rate requires --raw, --live, --response or --export"),
    (["a", "b", "--raw", "s16le", "--rate", "8000"], "--raw s16le requires --channels"),
    (["--export", "text", "--name", "x"], "--name requires --export json or --save"),
    (["--export", "text", "--bypass"], "--bypass requires sound or --response"),
    (["--export", "json", "--json"], "--format requires sound or --response"),
    (["--live", "--channels", "3"], "--channels: expected 1 or 2, got 3"),
    (["--live", "--gains", "1,2,3"], "expected 14 gains for both channels, or 28, left and then right, got 3"),
    (["--live", "--gains", "1,x"], "expected gains from -24 to 24 dB, got 'x'"),
    (["--live", "--gains", "25"], "expected gains from -24 to 24 dB, got '25'"),
    (["--live", "--band", "100:30"], "'100:30': gain: expected -24 to 24 dB, got 30"),
    (["--live", "--band", "100:3:90"], "'100:3:90': q: expected 0.1822 to 28.85, which is 5 to 0.05 octaves, got 90"),
    (["--live", "--preamp", "loud"], "expected -96 to 24 dB or auto, got 'loud'"),
    (["--live", "--preamp", "-97"], "expected -96 to 24 dB or auto, got '-97'"),
    (["--live", "--octaves", "6"], "expected octaves from 0.05 to 5, got '6'"),
    (["--live", "--output", ""], "--output: expected the name of a device, got ''"),
    (["--export", "yaml"], "'yaml'"),
    (["a", "b", "--encoding", "mp3"], "'mp3'"),
  ])
  func aRefusalSaysWhatWasExpectedAndWhatCame(arguments: [String], text: String) {
    let refusal = ParsingTests.refusal(["eq"] + arguments)
    #expect(refusal.contains(text), "\(refusal)")
  }

  @Test func bandsAboveHalfTheRateAreLeftOutAndReported() throws {
    let request = EqualizerRequest(
      settings: EqualizerSettings(
        left: [.peaking(frequency: 5_000, gain: 3, octaves: 1), .peaking(frequency: 100, gain: 3, octaves: 1)],
        right: [.peaking(frequency: 5_000, gain: 0, octaves: 1)]))
    var notes: [String] = []
    let prepared = try request.prepared(sampleRate: 8_000) { notes.append($0) }
    #expect(prepared.left.map(\.frequency) == [100] && prepared.right == [])
    #expect(notes == ["1 band at or above half the sample rate, 4000 Hz, is left out"])
    _ = try request.prepared(sampleRate: 48_000) { notes.append($0) }
    #expect(notes.count == 1)
  }

  @Test func solvedGainsGiveTheCurveThatWasAskedFor() throws {
    let gains = [0.0, 0, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    var request = EqualizerRequest(settings: try .graphic(gains: gains + gains))
    let centers = Array(EqualizerSettings.centerFrequencies.dropLast())
    func miss() throws -> Double {
      let settings = try request.prepared(sampleRate: 48_000) { _ in }
      let response = try settings.response(at: centers, sampleRate: 48_000)
      return zip(response.left, gains).map { abs($0 - $1) }.max() ?? 0
    }
    #expect(try miss() > 0.5)
    request.isSolved = true
    #expect(try miss() < 0.01)
    request.preamp = .automatic
    let settings = try request.prepared(sampleRate: 48_000) { _ in }
    let preamp = settings.preamp
    #expect(preamp < -2.9 && preamp > -4)
  }

  @Test func aPresetsFormIsReportedByItsContent() throws {
    let folder = try ScratchFolder()
    let settings = EqualizerSettings(left: [EqualizerBand(frequency: 100, gain: 3, q: 1)], preamp: -3)
    let json = try EqualizerPreset(name: "Kitchen", settings: settings).json()
    // The ends of the names are of no concern.
    let first = try EqualizerPreset.read(
      try folder.write(Data("\u{FEFF} \n".utf8) + json, as: "a.txt"), option: "--preset")
    #expect(first.name == "Kitchen" && first.settings == settings)
    let text = try folder.write(Data(EqualizerText.format(settings).utf8), as: "Living room.json")
    let second = try EqualizerPreset.read(text, option: "--preset")
    #expect(second.name == "Living room" && second.settings == settings)
  }

  @Test func aPresetThatCannotBeReadSaysWhy() throws {
    let folder = try ScratchFolder()
    func failure(_ path: String) -> CommandFailure? {
      #expect(throws: CommandFailure.self) { _ = try EqualizerPreset.read(path, option: "--preset") }
    }
    let wrong = try folder.write(Data("Preamp: 1 dB\nFilter 1: ON PK Fc 100 Hz Gain 30 dB Q 1\n".utf8), as: "a.txt")
    #expect(failure(wrong)?.status == .badData)
    #expect(failure(wrong)?.message == "\(wrong): line 2: Gain: expected -24 to 24 dB, got 30")
    let object = try folder.write(Data("{\"v\": 1}".utf8), as: "a.json")
    #expect(failure(object)?.status == .badData)
    #expect(failure(object)?.message == "\(object): name: expected a value, got none")
    let bytes = try folder.write(Data([0x50, 0xFF, 0xFE]), as: "b.txt")
    #expect(failure(bytes)?.status == .badData)
    #expect(failure(folder.url.path)?.status == .noInput)
    #expect(failure("no/such.txt")?.message == "--preset: no/such.txt: no such file")
    #expect(failure("no/such.txt")?.status == .noInput)
  }
}
