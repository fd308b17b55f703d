import Foundation
import RustleAudio
import TestSupport
import Testing

@testable import RustleCLI

/// The command tune, run as a process.
@Suite(.serialized, .releasesNativeObjects) struct TuneCommandTests {
  /// Tones of three partials, one after another, each with a soft begin and end.
  static func sound(_ tones: [(hertz: Double, seconds: Double)], rate: Int = 44_100) -> Data {
    let samples = tones.flatMap { tone in
      let count = Int(tone.seconds * Double(rate))
      return (0..<count).map { index in
        let soft = min(1, Double(min(index, count - index)) / (0.01 * Double(rate)))
        let phase = 2 * Double.pi * tone.hertz * Double(index) / Double(rate)
        return Float(soft * (0.3 * sin(phase) + 0.15 * sin(2 * phase) + 0.1 * sin(3 * phase)))
      }
    }
    return WaveFile.floats(samples, channels: 1, sampleRate: rate)
  }

  private static func notes(_ result: RustleProcess.Result) throws -> [[String: Any]] {
    try SoundCommandTests.objects(result).filter { $0["kind"] as? String == "note" }
  }

  @Test func aFileIsAListOfItsNotes() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sound([(110, 1), (442, 1), (196.5, 1)]), as: "notes.wav")
    let text = try RustleProcess.run(["tune", path])
    #expect(text.status == 0 && text.errors == "")
    #expect(text.output.hasPrefix("\(path)\nWAV, 32 bit float, 44.1 kHz, mono, notes from 25 to 4500 Hz\nA4 = 440 Hz"))
    let result = try RustleProcess.run(["tune", path, "--json"])
    let notes = try Self.notes(result)
    #expect(notes.compactMap { $0["note"] as? String } == ["A2", "A4", "G3"])
    #expect(notes.compactMap { $0["direction"] as? String } == ["in_tune", "sharp", "sharp"])
    for (note, truth) in zip(notes, [0, 7.851, 4.417]) {
      #expect(abs(try #require(note["cents"] as? Double) - truth) < 0.1)
      #expect(text.output.contains(try #require(note["note"] as? String)))
    }
    let summary = try #require(try SoundCommandTests.objects(result).last)
    #expect(summary["kind"] as? String == "summary" && summary["notes"] as? Int == 3)
    #expect(summary["t_s"] as? Double == 3 && summary["sample_rate_hz"] as? Double == 44_100)
  }

  /// A chord used to be a sure C2, without any hint.
  @Test(arguments: ["tune", "voice"]) func aChordIsReported(command: String) throws {
    let folder = try ScratchFolder()
    var samples = [Float](repeating: 0, count: 48_000)
    for hertz in [261.63, 329.63, 392.0] {
      for index in samples.indices {
        let phase = 2 * Double.pi * hertz * Double(index) / 48_000
        samples[index] += Float(0.2 * sin(phase))
      }
    }
    let chord = try folder.write(WaveFile.floats(samples, channels: 1, sampleRate: 48_000), as: "chord.wav")
    let result = try RustleProcess.run([command, chord, "--json"])
    #expect(result.status == 0)
    #expect(result.errors.hasPrefix("rustle: \(chord): several notes sound at once: the pitch is"), "\(result.errors)")
    #expect(try SoundCommandTests.objects(result).last?["polyphonic"] as? Bool == true)
    let note = try folder.write(Self.sound([(196, 1)]), as: "note.wav")
    let single = try RustleProcess.run([command, note, "--json"])
    #expect(single.errors == "")
    #expect(try SoundCommandTests.objects(single).last?["polyphonic"] as? Bool == false)
  }

  /// The summary used to say so and the note not.
  @Test(arguments: [0.15, 0.25, 0.3]) func theNoteOfAShortChordIsOfSeveral(seconds: Double) throws {
    let folder = try ScratchFolder()
    for (notes, isPolyphonic) in [([261.63, 329.63, 392.0], true), ([261.63], false), ([65.41, 130.82], false)] {
      let samples = (0..<Int(seconds * 48_000)).map { index in
        notes.reduce(Float(0)) { $0 + Float(0.2 * sin(2 * .pi * $1 * Double(index) / 48_000)) }
      }
      let path = try folder.write(WaveFile.floats(samples, channels: 1, sampleRate: 48_000), as: "a.wav")
      let result = try RustleProcess.run(["tune", path, "--json"])
      #expect(try Self.notes(result).map { $0["polyphonic"] as? Bool } == [isPolyphonic], "\(result.output)")
      #expect(try SoundCommandTests.objects(result).last?["polyphonic"] as? Bool == isPolyphonic)
    }
  }

  /// What sounded before it used to hide a chord.
  @Test func aChordBehindANoteIsReported() throws {
    let folder = try ScratchFolder()
    let count = 48_000
    var samples = [Float](repeating: 0, count: 4 * count)
    for (range, hertz) in [(0..<2 * count, 440), (3 * count..<4 * count, 440)] as [(Range<Int>, Double)] {
      for index in range {
        for partial in 1...4 {
          let phase = 2 * Double.pi * hertz * Double(partial * index) / 48_000
          samples[index] += Float(0.2 / Double(partial) * sin(phase))
        }
      }
    }
    for hertz in [261.63, 329.63, 392.0] {
      for index in 2 * count..<3 * count {
        samples[index] += Float(0.2 * sin(2 * .pi * hertz * Double(index) / 48_000))
      }
    }
    let path = try folder.write(WaveFile.floats(samples, channels: 1, sampleRate: 48_000), as: "a.wav")
    let result = try RustleProcess.run(["tune", path, "--json"])
    #expect(result.errors.hasPrefix("rustle: \(path): several notes sound at once"), "\(result.errors)")
    let notes = try Self.notes(result)
    #expect(notes.compactMap { $0["note"] as? String } == ["A4", "C2", "A4"])
    #expect(notes.compactMap { $0["polyphonic"] as? Bool } == [false, true, false])
    let objects = try SoundCommandTests.objects(result)
    #expect(objects.last?["polyphonic"] as? Bool == false)
    let voice = try RustleProcess.run(["voice", path, "--frames", "--json"])
    #expect(voice.errors.hasPrefix("rustle: \(path): several notes sound at once"), "\(voice.errors)")
    for lines in [objects, try SoundCommandTests.objects(voice)] {
      for line in lines {
        guard ["reading", "frame"].contains(line["kind"] as? String) else { continue }
        let time = try #require((line["t_s"] ?? line["time_s"]) as? Double)
        let isPolyphonic = try #require(line["polyphonic"] as? Bool)
        if time < 2 || time > 3.8 { #expect(!isPolyphonic, "\(time)") }
        if (2.8..<3).contains(time) { #expect(isPolyphonic, "\(time)") }
      }
    }
  }

  @Test func theTuningIsInForce() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sound([(442, 1)]), as: "a.wav")
    let scale = try folder.write(Data("Fifths\n 2\n 3/2\n 2/1\n".utf8), as: "fifths.scl")
    let tuning = try folder.write(Data(#"{"reference_hz": 442, "transposition": 2}"#.utf8), as: "tuning.json")
    func note(_ options: String...) throws -> (String?, Double) {
      let note = try #require(try Self.notes(RustleProcess.run(["tune", path, "--json"] + options)).first)
      return (note["note"] as? String, try #require(note["cents"] as? Double))
    }
    #expect(abs(try note("--reference", "442").1) < 0.05)
    #expect(try note("--transpose", "9").0 == "F#5" && note("--transpose", "9", "--flats").0 == "Gb5")
    #expect(abs(try note("--ppm", "-500").1 - 6.985) < 0.05)
    let fromFile = try note("--tuning", tuning)
    #expect(fromFile.0 == "B4" && abs(fromFile.1) < 0.05)
    #expect(try note("--tuning", tuning, "--transpose", "0").0 == "A4")
    // In quarter-comma meantone on D the third below C sharp is another one: A4 stays at the reference.
    #expect(abs(try note("--temperament", "meantone", "--tonic", "D").1 - 7.851) < 0.05)
    // D and A alone are steps of this scale.
    #expect(abs(try note("--temperament", scale, "--tonic", "A").1 - 7.851) < 0.05)
    #expect(abs(try note("--temperament", "24").1 - 7.851) < 0.05)
  }

  @Test func anInstrumentsStringsAreTheTargets() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sound([(108, 1)]), as: "a.wav")
    let own = try folder.write(Data(#"{"name": "Own", "strings": ["C2", "B2"]}"#.utf8), as: "own.json")
    let guitar = try #require(
      try Self.notes(RustleProcess.run(["tune", path, "--json", "--instrument", "Guitar"])).first)
    #expect(guitar["string"] as? Int == 2 && guitar["note"] as? String == "A2")
    #expect(abs(try #require(guitar["cents"] as? Double) + 31.77) < 0.1)
    let other = try #require(try Self.notes(RustleProcess.run(["tune", path, "--json", "--instrument", own])).first)
    #expect(other["string"] as? Int == 2 && other["note"] as? String == "B2")
    let list = try RustleProcess.run(["tune", "--list-instruments"])
    #expect(list.status == 0 && list.lines.count == Instrument.Preset.allCases.count + 1)
    #expect(list.output.contains("E2 A2 D3 G3 B3 E4") && list.output.contains("Guitar, DADGAD"))
  }

  @Test func theReferenceIsLearned() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sound([(443, 4), (332, 1)]), as: "a.wav")
    let result = try RustleProcess.run(["tune", path, "--json", "--learn", "--learn-note", "A4"])
    let summary = try #require(try SoundCommandTests.objects(result).last)
    #expect(abs(try #require(summary["learned_hz"] as? Double) - 443) < 0.05)
    let last = try #require(try Self.notes(result).last)
    #expect(abs(try #require(last["cents"] as? Double) - Tuning.cents(332 / (443 * pow(2, -5.0 / 12)))) < 0.2)
    let text = try RustleProcess.run(["tune", path, "--learn"])
    #expect(text.output.contains("learned A4 = 443.0"))
    let short = try folder.write(Self.sound([(443, 0.3)]), as: "b.wav")
    #expect(try RustleProcess.run(["tune", short, "--learn"]).output.contains("no reference learned"))
  }

  @Test func readingsComeAfterEachInterval() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sound([(440, 2)]), as: "a.wav")
    func count(_ options: String...) throws -> Int {
      try SoundCommandTests.objects(RustleProcess.run(["tune", path, "--json"] + options)).count {
        $0["kind"] as? String == "reading"
      }
    }
    let usual = try count()
    #expect((18...21).contains(usual))
    #expect(try count("--interval", "1000") == 2)
    #expect(try count("--interval", "0") > 150)
    let lines = try RustleProcess.run(["tune", path, "--interval", "500", "--format", "text"])
    #expect(lines.lines.count { $0.contains(#/^   0:0\d\.\d  A4 .* IN TUNE .* confidence \d+ %$/#) } == 4)
    let csv = try RustleProcess.run(["tune", path, "--format", "csv", "--interval", "1000"])
    #expect(csv.lines.count == 3 && csv.output.hasPrefix("t_s,note,string,cents,hz"))
  }

  @Test func theDemoAndAPipeAreListenedTo() throws {
    let demo = try RustleProcess.run(["tune", "--demo", "--duration", "0.5", "--json"])
    #expect(demo.status == 0)
    #expect(try Self.notes(demo).first?["note"] as? String == "A4")
    let words = ["tune", "-", "--raw", "s16le", "--rate", "8000", "--channels", "1", "--json"]
    let samples = (0..<8_000).map { Int16(8_000 * sin(2 * Double.pi * 220 * Double($0) / 8_000)) }
    let pipe = try RustleProcess.run(words, input: samples.littleEndian)
    #expect(try Self.notes(pipe).first?["note"] as? String == "A3")
    #expect(try SoundCommandTests.objects(pipe).last?["input"] as? String == "standard input")
  }

  @Test(arguments: [SIGINT, SIGTERM]) func aSignalEndsWithTheSummary(number: Int32) throws {
    let result = try RustleProcess.interrupted(["tune", "--demo", "--json"], with: number)
    #expect(result.status == 128 + number)
    let last = try #require(result.output.split(separator: "\n").last)
    #expect(last.contains(#""kind":"summary""#))
  }

  @Test func badInputHasItsOwnExitCodes() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.sound([(440, 0.2)]), as: "a.wav")
    let wrong = try folder.write(Data(#"{"reference_hz": 299}"#.utf8), as: "wrong.json")
    let broken = try folder.write(Data("{".utf8), as: "broken.json")
    let scale = try folder.write(Data("x\n 1\n -3/2\n".utf8), as: "x.scl")
    let cases: [([String], Int32, String)] = [
      (["no/such.wav"], 66, "no/such.wav"),
      ([path, "--instrument", "gitar"], 64, "Did you mean guitar?"),
      ([path, "--instrument", "no/such.json"], 66, "--instrument: no/such.json: no such file"),
      ([path, "--instrument", broken], 65, "broken.json: instrument: expected JSON"),
      ([path, "--tuning", wrong], 65, "wrong.json: reference: expected 300 to 500 Hz, got 299"),
      ([path, "--temperament", "mean-tone"], 64, "Did you mean meantone?"),
      ([path, "--temperament", "4"], 64, "--temperament: divisions: expected 5 to 72, got 4"),
      ([path, "--temperament", scale], 65, "x.scl: line 3: expected a ratio"),
      ([path, "--channel", "2"], 64, "--channel: expected a channel from 1 to 1, got channel 2"),
      (["--device", "rustle-no-such-device"], 69, "rustle devices"),
    ]
    for (words, status, text) in cases {
      let result = try RustleProcess.run(["tune"] + words)
      #expect(result.status == status && result.errors.contains(text) && result.output == "", "\(result.errors)")
    }
    let low = try folder.write(WaveFile.floats([0, 0], channels: 1, sampleRate: 500), as: "low.wav")
    let slow = try RustleProcess.run(["tune", low])
    #expect(slow.status == 65 && slow.errors.contains("low.wav: "), "\(slow.errors)")
  }
}
