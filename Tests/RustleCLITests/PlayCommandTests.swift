import Foundation
import RustlePlot
import RustleCore
import TestSupport
import Testing

@testable import RustleAudio
import RustleAudioFiles
@testable import RustleCLI

/// The commands play and devices, run as processes.
@Suite(.serialized, .releasesNativeObjects) struct PlayCommandTests {
  @Test(arguments: [1, 2]) func aFileIsPlayedToItsEnd(channels: Int) throws {
    let folder = try ScratchFolder()
    let samples = [Float](repeating: 0.25, count: 4_800 * channels)
    let path = try folder.write(WaveFile.floats(samples, channels: channels, sampleRate: 48_000), as: "a.wav")
    let preset = try folder.write(Data("Filter 1: ON PK Fc 1000 Hz Gain 6 dB Q 1\n".utf8), as: "eq.txt")
    for words in [[], ["--eq", preset], ["--duration", "0.05"]] {
      let result = try RustleProcess.run(["play", path, "--demo"] + words)
      #expect(result.status == 0 && result.output == "" && result.errors == "", "\(result.errors)")
    }
  }

  @Test func aProgramIsReportedHowAPlaybackGoes() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(SoundCommandTests.tone(1), as: "a.wav")
    let result = try RustleProcess.run(["play", path, "--demo", "--from", "0.25", "--to", "0.75", "--json"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let objects = try SoundCommandTests.objects(result)
    let summary = try #require(objects.last)
    #expect(summary["v"] as? Int == 1 && summary["kind"] as? String == "summary")
    #expect(summary["position_s"] as? Double == 0.75 && summary["played_s"] as? Double == 0.5)
    #expect(summary["frames"] as? Int == 24_000 && summary["complete"] as? Bool == true)
    #expect(summary["input"] as? String == path && summary["sample_rate_hz"] as? Double == 48_000)
    #expect(!objects.dropLast().isEmpty)
    for progress in objects.dropLast() {
      #expect(progress["kind"] as? String == "progress" && progress["paused"] as? Bool == false)
      let position = try #require(progress["position_s"] as? Double)
      #expect(abs(position - 0.25 - (try #require(progress["played_s"] as? Double))) < 1e-9)
      #expect((0.35...0.75).contains(position))
    }
  }

  @Test func rawSamplesArePlayedFromAPipe() throws {
    let words = ["play", "-", "--raw", "s16le", "--rate", "8000", "--channels", "2", "--demo"]
    let data = [Int16](repeating: 1_000, count: 1_600).littleEndian
    let whole = try RustleProcess.run(words + ["--json"], input: data)
    #expect(whole.status == 0)
    let summary = try #require(try SoundCommandTests.objects(whole).last)
    #expect(summary["frames"] as? Int == 800 && summary["channels"] as? Int == 2)
    #expect(summary["input"] as? String == "standard input")
    let part = try RustleProcess.run(words + ["--json", "--from", "0.0125", "--duration", "0.05"], input: data)
    #expect(try SoundCommandTests.objects(part).last?["frames"] as? Int == 400)
    #expect(try SoundCommandTests.objects(part).last?["position_s"] as? Double == 0.0625)
    let late = try RustleProcess.run(words + ["--from", "1"], input: data)
    #expect(late.status == 64 && late.errors.contains("end of standard input at 0.1 s, got 1 s"))
    let odd = try RustleProcess.run(words, input: data.dropLast())
    #expect(odd.status == 65 && odd.errors.contains("expected whole frames of 4 bytes, got 3 bytes more"))
  }

  @Test func theRangeOfAPlaybackIsChecked() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(SoundCommandTests.tone(0.5), as: "a.wav")
    let late = try RustleProcess.run(["play", path, "--demo", "--from", "0.5"])
    #expect(late.status == 64 && late.errors.contains("--from: expected a time before the end of \(path)"))
    #expect(late.errors.contains("at 0.5 s, got 0.5 s"))
    #expect(
      ParsingTests.refusal(["play", path, "--from", "2", "--to", "1"]).contains("after --from, 2.0 s, got 1.0 s"))
    #expect(
      ParsingTests.refusal(["play", path, "--to", "1", "--duration", "1"]).contains(
        "--to 1.0 cannot be used with --duration 1.0"))
    #expect(ParsingTests.refusal(["play", path, "--rate", "8000"]).contains("--rate 8000 requires --raw"))
    #expect(
      ParsingTests.refusal(["play", "-", "--raw", "u8", "--rate", "8000"]).contains("--raw u8 requires --channels"))
    #expect(ParsingTests.refusal(["play", path, "--format", "csv"]).contains("one of 'auto', 'text' or 'ndjson'"))
  }

  @Test func aReaderThatHasSeenEnoughEndsAPlayback() throws {
    let result = try RustleProcess.shell(
      "head -c 40000000 /dev/zero | rustle play - --raw s16le --rate 8000 --channels 1 --demo --json | head -n 1; "
        + "echo status ${PIPESTATUS[1]}")
    #expect(result.lines.count == 2 && result.lines.last == "status 0" && result.errors == "")
  }

  @Test func badInputOfPlayHasItsOwnExitCodes() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(SoundCommandTests.tone(0.1), as: "a.wav")
    #expect(try RustleProcess.run(["play", "no/such.wav", "--demo"]).status == 66)
    let text = try folder.write(Data("This is not a sound file.".utf8), as: "b.wav")
    #expect(try RustleProcess.run(["play", text, "--demo"]).status == 65)
    let empty = try folder.write(WaveFile.floats([], channels: 1, sampleRate: 8_000), as: "empty.wav")
    #expect(try RustleProcess.run(["play", empty, "--demo"]).status == 65)
    let device = try RustleProcess.run(["play", path, "--device", "rustle-no-such-device"])
    #expect(device.status == 69 && device.errors.contains("rustle devices"))
    let preset = try RustleProcess.run(["play", path, "--demo", "--eq", text])
    #expect(preset.status == 65 && preset.errors.contains("b.wav: line 1"))
    #expect(try RustleProcess.run(["play", path, "--demo", "--eq", "no/such.json"]).status == 66)
    let six = try folder.write(
      WaveFile.floats([Float](repeating: 0, count: 600), channels: 6, sampleRate: 48_000), as: "six.wav")
    let good = try folder.write(Data("Preamp: -3 dB\n".utf8), as: "eq.txt")
    let wide = try RustleProcess.run(["play", six, "--demo", "--eq", good])
    #expect(wide.status == 65 && wide.errors.contains("expected sound of one or two channels, got 6 channels"))
  }

  @Test func theLineOfAPlaybackReportsItsState() throws {
    let subject = SoundSubject(
      name: "takes/a.wav", format: try AudioFormat(sampleRate: 48_000, channels: 1), encoding: nil, channel: nil)
    let line = PlayLine(title: subject.title, totalFrames: 96_000, sampleRate: 48_000, hasKeys: true)
    #expect(
      line.parts(played: 60_000, underruns: 0, isPaused: false) == [
        "0:01.3 of 0:02.0", "a.wav", "q quit", "space pause",
      ])
    #expect(
      line.parts(played: 48_000, underruns: 2, isPaused: true) == [
        "0:01.0 of 0:02.0", "paused", "2 underruns", "a.wav", "q quit", "space go on",
      ])
    let part = PlayLine(
      title: "a.wav", firstFrame: 48_000, totalFrames: 24_000, sampleRate: 48_000, hasKeys: false)
    #expect(part.parts(played: 12_000, underruns: 0, isPaused: false) == ["0:01.3 of 0:01.5", "a.wav"])
  }

  @Test func theLineOfAPlaybackFitsTheTerminalAndIsCleared() async throws {
    let written = SeenMutex("")
    let screen = LiveScreen(
      hasKeys: true, session: TerminalSession(output: -1, input: nil) { text in written.withLock { $0 += text } },
      makeProfile: { TickerViewTests.profile(columns: 20, ascii: true) })
    let output = try AudioOutput(
      DeviceConfiguration(device: "demo", format: AudioFormat(sampleRate: 48_000, channels: 1)))
    let view = PlayView(
      output: output, line: PlayLine(title: "a.wav", totalFrames: nil, sampleRate: 48_000, hasKeys: true),
      screen: screen,
      progress: {
        PlaybackProgress(sequence: 0, position: 0, played: 48_000, queued: 0, insertedSilence: 0, underruns: 0)
      })
    #expect(await view.press(.pause) == false && output.isPaused)
    try await view.draw()
    let drawn = written.withLock(\.self)
    #expect(drawn.contains("0:01.0  paused\u{1B}[K\r\na.wav  q quit\u{1B}[K\r\nspace go on\u{1B}[K\r\n\u{1B}[J"))
    await view.end()
    #expect(written.withLock { $0.hasSuffix("\u{1B}[3A\r\u{1B}[J\u{1B}[?2026l" + LiveFrame.showCursor) })
    #expect(await view.press(.pause) == false && !output.isPaused)
    #expect(await view.press(.quit))
  }

  @Test func interruptionsOfAPlaybackAreReported() {
    func report(_ underruns: Int, _ silence: Int64) -> String? {
      PlayLine.interruption(
        PlaybackProgress(
          sequence: 0, position: 0, played: 1, queued: 0, insertedSilence: silence, underruns: underruns),
        sampleRate: 48_000)
    }
    #expect(
      report(1, 24_000)
        == "the playback was interrupted: 1 underrun of the device, 0.50 s of inserted silence")
    #expect(report(2, 0) == "the playback was interrupted: 2 underruns of the device")
    #expect(report(0, 0) == nil)
  }

  // MARK: devices

  @Test func theBuiltInDeviceIsAlwaysListed() throws {
    let json = try RustleProcess.run(["devices", "--json"])
    #expect(json.status == 0)
    let objects = try SoundCommandTests.objects(json)
    #expect(objects.first?["name"] as? String == "demo" && objects.first?["captures"] as? Bool == true)
    #expect(objects.allSatisfy { $0["v"] as? Int == 1 && $0["description"] is String })
    let text = try RustleProcess.run(["devices"])
    #expect(text.status == 0 && text.lines.first?.hasPrefix("DEVICE") == true)
    #expect(text.lines.count >= objects.count + 1)
  }

  @Test func aMachineWithoutDevicesIsReportedSo() throws {
    let none = DeviceList { () throws(AudioError) in [] }
    #expect(none.devices == [.demo] && none.note?.contains("no sound devices") == true)
    let broken = DeviceList { () throws(AudioError) in
      throw AudioError(.noSoundLibrary, "expected libasound.so.2, got none", advice: "Install the library.")
    }
    #expect(broken.devices == [.demo])
    #expect(broken.note?.hasSuffix("cannot be listed: expected libasound.so.2, got none. Install the library.") == true)
    let device = AudioDevice(
      name: "hw:CARD=PCH", description: "HDA Intel\nFront, speakers", captures: false, plays: true)
    let list = DeviceList { () throws(AudioError) in [device] }
    #expect(list.note == nil)
    let profile = TickerViewTests.profile(columns: 120)
    try Snapshot.expect(list.text(.text, profile: profile), variant: "text")
    try Snapshot.expect(list.text(.csv, profile: profile), variant: "csv")
    try Snapshot.expect(list.text(.ndjson, profile: profile), variant: "ndjson")
  }
}
