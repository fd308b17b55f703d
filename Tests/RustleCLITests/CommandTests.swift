import Foundation
import RustleCLI
import TestSupport
import Testing

/// The built command, run as a process: exit codes, texts, pipes, signals.
@Suite(.serialized, .releasesNativeObjects) struct CommandTests {
  @Test func theVersionNamesThePackageAndTheArchive() throws {
    let result = try RustleProcess.run(["--version"])
    #expect(result.status == 0)
    #expect(result.output.wholeMatch(of: /rustle \d+\.\d+\.\d+ \(native archive [0-9a-f]{32}\)\n/) != nil)
    #expect(result.errors == "")
  }

  @Test func helpIsAResultAndAMistakeIsNot() throws {
    let help = try RustleProcess.run(["--help"])
    #expect(help.status == 0 && help.errors == "" && help.output.contains("SUBCOMMANDS:"))
    let mistake = try RustleProcess.run(["tikcer", "BTC"])
    #expect(mistake.status == 64 && mistake.output == "")
    #expect(
      mistake.errors == """
        error: expected a subcommand (ticker, spectrum, spectrogram, pitch, voice, meter, batch, tune, eq, record, play, link, tap, tempo, dmx, provision, light, venue, fixture, map, studio, account, devices, doctor, completions or help), got 'tikcer'
          Did you mean 'rustle ticker'?

        """)
    let option = try RustleProcess.run(["ticker", "BTC", "--rat", "1"])
    #expect(option.status == 64 && option.output == "" && option.errors.contains("--rat"))
  }

  @Test func theDoctorFindsEverything() throws {
    let text = try RustleProcess.run(["doctor"])
    #expect(text.status == 0 && !text.output.contains("WRONG"))
    for format in ["WAV", "FLAC", "OGG", "MP3"] {
      #expect(text.lines.contains { $0.split(separator: " ") == [Substring(format), "yes"] })
    }
    let json = try SoundCommandTests.objects(try RustleProcess.run(["doctor", "--json"]))
    #expect(json.allSatisfy { $0["v"] as? Int == 1 && $0["ok"] as? Bool == true })
    // Advice has a line of its own.
    #expect(json.count + json.count { $0["advice"] is String } == text.lines.count)
    let names = json.compactMap { $0["name"] as? String }
    #expect(["port 5568", "port 6454", "multicast", "realtime"].allSatisfy(names.contains))
    #expect(["tempo sessions", "firewall"].allSatisfy(names.contains))
    #expect(json.contains { $0["value"] as? String == "127.0.0.1, available" })
    #expect(json.contains { $0["value"] as? String == "127.0.0.1, multicast" })
  }

  #if os(Linux)
  /// The superuser has realtime scheduling by a capability, others within a limit.
  @Test func realtimeSchedulingThatIsNotAllowedIsNoFault() throws {
    let result = try RustleProcess.shell(
      """
      ulimit -r 0; [ "$(id -u)" = 0 ] && without=(setpriv --bounding-set=-sys_nice)
      "${without[@]}" "$RUSTLE" doctor --json
      """)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let row = try #require(try SoundCommandTests.objects(result).first { $0["name"] as? String == "realtime" })
    #expect(row["value"] as? String == "not allowed" && row["ok"] as? Bool == true)
    #expect((row["advice"] as? String)?.contains("SCHED_FIFO") == true)
  }
  #endif

  @Test func m4aIsNoFaultWhereItIsNot() throws {
    let alone = try RustleProcess.run(["doctor"], environment: ["PATH": "/nowhere"])
    #expect(alone.status == 0 && alone.output.contains("install FFmpeg") && !alone.output.contains("WRONG"))
  }

  @Test func theEnvironmentNamesThePathOfTheFFT() throws {
    let forced = try RustleProcess.run(["doctor"], environment: ["RUSTLE_FFT_INSTRUCTION_SET": "plain"])
    #expect(forced.lines.contains { $0.split(separator: " ") == ["FFT", "plain"] })
    let recording = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Vectors/recordings/chord.flac").path
    for name in ["fast", "AVX2"] {
      let text =
        "RUSTLE_FFT_INSTRUCTION_SET: expected one of plain, narrow, neon, avx2, avx512 that this machine has, got '\(name)'"
      for command in ["spectrum", "spectrogram"] {
        let refused = try RustleProcess.run([command, recording], environment: ["RUSTLE_FFT_INSTRUCTION_SET": name])
        #expect(refused.status != 0 && refused.output == "")
        #expect(refused.errors.contains(text), "\(refused.errors)")
      }
      let doctor = try RustleProcess.run(["doctor"], environment: ["RUSTLE_FFT_INSTRUCTION_SET": name])
      #expect(doctor.status != 0)
      #expect(doctor.output.contains("'\(name)'"))
    }
  }

  // MARK: ticker

  @Test func everyLineOfNDJSONHasTheDocumentedFields() throws {
    let result = try RustleProcess.run(["ticker", "BTC", "ETH", "--rate", "200", "--duration", "0.3", "--json"])
    #expect(result.status == 0 && result.errors == "")
    #expect(!result.lines.isEmpty)
    for (index, line) in result.lines.enumerated() {
      let fields = try #require(
        String(line).wholeMatch(of: /\{"v":1,"symbol":"(BTC|ETH)","price":(\d+\.\d+),"t_ms":(\d{13}),"seq":(\d+)\}/))
      #expect(fields.1 == (index.isMultiple(of: 2) ? "BTC" : "ETH"))
      #expect(Int(fields.4) == index / 2, "each symbol by itself")
    }
  }

  @Test func theSameSeedGivesTheSamePrices() throws {
    func prices(_ seed: Int) throws -> [String] {
      let line = "rustle ticker BTC ETH --rate 1000 --seed \(seed) --format csv --duration 30 | head -n 101"
      return try RustleProcess.shell(line).lines.dropFirst().map {
        $0.split(separator: ",").prefix(2).joined(separator: " ")
      }
    }
    let first = try prices(7)
    #expect(first.count == 100)
    #expect(try prices(7) == first)
    #expect(try prices(8) != first)
  }

  @Test func aReaderThatHasSeenEnoughEndsTheTickerWithoutAnError() throws {
    let result = try RustleProcess.shell(
      "rustle ticker BTC ETH SOL --rate 50 --duration 600 --json | head -n 3; echo status ${PIPESTATUS[0]}")
    #expect(result.lines.count == 4)
    #expect(result.lines.last == "status 0")
    #expect(result.errors == "")
  }

  /// At one update in a thousand seconds there is no second write that could fail.
  @Test func aReaderThatHasGoneIsNoticedWithNothingToWrite() throws {
    let result = try RustleProcess.shell(
      "rustle ticker BTC --rate 0.001 --duration 600 --json | head -n 1; echo status ${PIPESTATUS[0]}")
    #expect(result.lines.last == "status 0")
  }

  /// A fast ticker and a reader that starts after a second: dropped updates are reported, and the rest is complete.
  @Test func noUpdateIsLostInSilence() throws {
    let result = try RustleProcess.shell(
      "rustle ticker BTC ETH --rate 50000 --duration 1 --json --seed 1 | (sleep 1; cat)")
    var (next, reported) = (0, 0)
    for line in result.lines {
      // Each in turn. A regular expression for each of 100,000 lines would take the test's time.
      let (symbol, number) = (next.isMultiple(of: 2) ? "BTC" : "ETH", next / 2)
      if line.hasPrefix("{\"v\":1,\"symbol\":\"\(symbol)\",") && line.hasSuffix(",\"seq\":\(number)}") {
        next += 1
      } else {
        let gap = try #require(line.firstMatch(of: #/"gap":(\d+)/#), "after \(next) updates: \(line)")
        let lost = try #require(Int(gap.1))
        reported += lost
        next += lost
      }
    }
    #expect(next > 50_000)
    #expect((reported > 0) == result.errors.contains("updates dropped"))
  }

  @Test(arguments: [(SIGHUP, Int32(129)), (SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func aSignalEndsTheTicker(number: Int32, status: Int32) throws {
    #expect(try RustleProcess.interrupt(["ticker", "BTC", "--rate", "100", "--json"], with: number) == status)
  }

  /// The file has every update of standard output, and no sequence gaps.
  @Test func aSignalLeavesTheRecordingWhole() throws {
    let folder = try ScratchFolder()
    let path = folder.path("a.ndjson")
    let arguments = ["ticker", "BTC", "ETH", "--rate", "2000", "--json", "--quiet", "--record", path]
    let (status, output, _) = try RustleProcess.interrupted(arguments, with: SIGINT)
    #expect(status == 130)
    let recorded = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(recorded.count >= output.split(separator: "\n").count)
    let written = try folder.write(Data(output.utf8), as: "out.ndjson")
    let replayed = try RustleProcess.run(["ticker", "--replay", written, "--speed", "max", "--json"])
    #expect(replayed.output == output && replayed.errors == "")
  }

  #if NATS
  /// Nobody listens at the port: what a signal leaves unpublished is reported, and is the status.
  @Test(arguments: [[], ["--durable", "1h"]]) func aSignalEndsAPublication(options: [String]) throws {
    let arguments = ["ticker", "BTC", "--rate", "100", "--json", "--publish", "nats://127.0.0.1:9/p"] + options
    let (status, output, errors) = try RustleProcess.interrupted(arguments, with: SIGTERM)
    #expect(status == 69)
    let count = try #require(errors.firstMatch(of: /(\d+) updates? (?:was|were) not published/)).1
    #expect(try #require(Int(count)) >= output.split(separator: "\n").count)
  }
  #endif

  @Test func refusalsAreWrongUse() throws {
    let twice = try RustleProcess.run(["ticker", "BTC", "BTC"])
    #expect(twice.status == 64 && twice.output == "")
    #expect(twice.errors.hasPrefix("error: symbol 2: expected each symbol once, got 'BTC' again\n"))
    let few = try RustleProcess.shell("ulimit -n 40; rustle ticker BTC --rate 100 --duration 1 --serve 127.0.0.1:0")
    #expect(few.status == 69 && few.errors.contains("the limit of open files is 40, expected 64 or more"))
    let engine = try RustleProcess.run(["ticker", "BTC", "--serve", "nowhere"])
    #expect(engine.status == 64 && engine.output == "" && engine.errors.hasPrefix("error: --serve: expected "))
  }

  @Test func theTickerTalksPlainlyInAPipe() throws {
    let result = try RustleProcess.shell("rustle ticker BTC --rate 100 --duration 600 | head -n 5")
    #expect(result.lines.count == 5)
    for line in result.lines { #expect(line.contains(#/^\d\d:\d\d:\d\d\.\d{3}Z  BTC +[\d,]+\.\d\d  [▲▼·] /#)) }
    let ascii = try RustleProcess.shell("LANG=C rustle ticker BTC --rate 100 --duration 600 | head -n 5")
    #expect(ascii.data.allSatisfy { $0 < 0x80 })
  }

  // MARK: spectrum

  @Test(arguments: ["hann", "hamming", "blackman"]) func aSineIsFoundWithinAHundredthOfAHertz(window: String) throws {
    let folder = try ScratchFolder()
    let sine = WaveFile.sine(1_000, amplitude: 0.5, seconds: 2, sampleRate: 48_000)
    let path = try folder.write(sine, as: "sine.wav")
    let result = try RustleProcess.run(["spectrum", path, "--window", window, "--json"])
    #expect(result.status == 0 && result.errors == "")
    let object = try #require(try JSONSerialization.jsonObject(with: result.data) as? [String: Any])
    let peaks = try #require(object["peaks"] as? [[String: Double]])
    #expect(abs(try #require(peaks.first?["hz"]) - 1_000) < 0.01)
    #expect(abs(try #require(peaks.first?["db"]) + 6.0206) < 0.01)
    #expect(object["window"] as? String == window)
    #expect(object["sample_rate_hz"] as? Double == 48_000)
    #expect(object["duration_s"] as? Double == 2)
  }

  @Test func soundThatIsNoSoundIsRefusedAndAShortOneIsMeasuredWhole() throws {
    let folder = try ScratchFolder()
    let broken = try folder.write(WaveFile.floats([0.5, .nan, 0.25], channels: 1, sampleRate: 48_000), as: "a.wav")
    let refused = try RustleProcess.run(["spectrum", broken])
    #expect(refused.status == 65 && refused.errors.contains("nan in frame 2"))
    let undrawn = try RustleProcess.run(["spectrogram", broken])
    #expect(undrawn.status == 65 && undrawn.errors.contains("nan in frame 2"))
    let sine = (0..<478).map { Float(sin(2 * .pi * 1_500 / 48_000 * Double($0))) }
    let short = try folder.write(WaveFile.floats(sine, channels: 1, sampleRate: 48_000), as: "b.wav")
    let result = try RustleProcess.run(["spectrum", short, "--json", "--peaks", "1"])
    #expect(result.status == 0 && result.errors.contains("an analysis frame of 8192 samples: analysed with 256\n"))
    let level = try #require(result.output.firstMatch(of: #/"db":(-?[\d.e-]+)/#).flatMap { Double($0.1) })
    #expect(abs(level) < 0.1)
  }

  @Test func standardInputIsReadAsAWAV() throws {
    let sine = WaveFile.sine(441, amplitude: 0.5, seconds: 0.25, sampleRate: 44_100)
    let result = try RustleProcess.run(["spectrum", "-", "--size", "4096"], input: sine)
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("standard input\nWAV, 32 bit float, 44.1 kHz, mono, 0.25 s\n"))
    #expect(result.output.contains(/\n  1    44[01]\.\d{3} Hz/))
  }

  /// The decoder of FLAC seeks: what a pipe cannot do, a redirected file can.
  @Test func aFLACIsReadFromARedirectedFileAndRefusedFromAPipe() throws {
    let recording = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Vectors/recordings/chord.flac").path
    let redirected = try RustleProcess.shell("rustle spectrum - --json < '\(recording)'")
    #expect(redirected.status == 0 && redirected.output.contains(#""container":"FLAC""#))
    let piped = try RustleProcess.shell("cat '\(recording)' | rustle spectrum - --json")
    #expect(piped.status == 65 && piped.output == "")
    #expect(piped.errors.contains("cannot be read from a pipe") && piped.errors.contains("FLAC or M4A as a file"))
  }

  @Test func thePNGIsDrawnAndNamedOnStandardError() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(WaveFile.sine(440, amplitude: 1, seconds: 0.5, sampleRate: 44_100), as: "a.wav")
    let png = folder.url.appending(path: "a.png")
    let result = try RustleProcess.run(["spectrum", path, "--png", png.path])
    #expect(result.status == 0)
    #expect(result.errors == "wrote \(png.path)\n")
    let image = try PNGImage(contentsOf: png)
    #expect(image.width == 1_200 && image.height == 600)
    let missing = try RustleProcess.run(["spectrum", path, "--png", "no/such/folder/a.png"])
    #expect(missing.status == 69 && missing.output == "")
    #expect(missing.errors.contains("cannot write no/such/folder/a.png"))
  }

  @Test func badInputHasItsOwnExitCodes() throws {
    let folder = try ScratchFolder()
    let missing = try RustleProcess.run(["spectrum", "no/such.wav"])
    #expect(missing.status == 66)
    #expect(
      missing.errors == "error: no/such.wav: no such file\n  Check the path, or pass - to read standard input.\n")
    let text = try folder.write(Data("This is not a sound file.".utf8), as: "a.wav")
    #expect(try RustleProcess.run(["spectrum", text]).status == 65)
    #expect(try RustleProcess.run(["spectrum", folder.url.path]).status == 66)
    let empty = try folder.write(WaveFile.floats([], channels: 1, sampleRate: 8_000), as: "empty.wav")
    let result = try RustleProcess.run(["spectrum", empty])
    #expect(result.status == 65 && result.errors.contains("expected sound, got a file of 0 frames"))
    let mono = try folder.write(WaveFile.floats([0, 1], channels: 1, sampleRate: 8_000), as: "mono.wav")
    let channel = try RustleProcess.run(["spectrum", mono, "--channel", "2"])
    #expect(channel.status == 64 && channel.errors.contains("expected a channel from 1 to 1, got channel 2"))
  }

  @Test func aFullDiskIsAnErrorAndAClosedPipeIsNone() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(WaveFile.sine(440, amplitude: 1, seconds: 2, sampleRate: 8_000), as: "a.wav")
    let closed = try RustleProcess.shell(
      "rustle spectrum '\(path)' --format csv | head -n 1; echo status ${PIPESTATUS[0]}")
    #expect(closed.lines == ["hz,db,amplitude", "status 0"])
    #expect(closed.errors == "")
    #if os(Linux)
    let full = try RustleProcess.shell("rustle spectrum '\(path)' > /dev/full")
    #expect(
      full.errors == """
        error: cannot write the output: no space left on the disk
          Free space on that disk, or name a file on another one.

        """)
    #expect(full.status == 69)
    #endif
  }
}
