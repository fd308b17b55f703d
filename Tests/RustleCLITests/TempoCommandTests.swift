import Foundation
import TestSupport
import Testing

@testable import RustleCLI

/// The commands link, tap and tempo.
@Suite(.releasesNativeObjects) struct TempoCommandTests {
  @Test func commandsChangeTheSessionAndItsEndIsSaid() throws {
    let folder = try ScratchFolder()
    let file = folder.path("lines")
    let result = try RustleProcess.shell(
      """
      (until [ -s '\(file)' ]; do sleep 0.05; done
        echo tempo 90; printf 'play\\t1\\n'; echo quantum 3; echo tempo fast; echo tempo 5; echo enable 0
        until grep '"event":"state"' '\(file)' | grep -q '"enabled":false'; do sleep 0.05; done
        echo quit; sleep 5) \
        | "$RUSTLE" link --interface lo --port 30001 --bpm 111 --rate 20 > '\(file)'
      status=$?; cat '\(file)'; exit $status
      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("expected tempo BPM, play 0|1, quantum BEATS") && result.errors.contains("'tempo fast'"))
    #expect(result.errors.contains("standard input: tempo: expected 20 to 999, got 5"), "\(result.errors)")
    let lines = try SoundCommandTests.objects(result)
    let first = try #require(lines.first)
    #expect(first["v"] as? Int == 1 && first["event"] as? String == "state" && first["enabled"] as? Bool == true)
    #expect(abs((first["bpm"] as? Double ?? 0) - 111) < 0.001 && first["peers"] as? Int == 0)
    #expect((first["session"] as? String)?.count == 8)
    let last = try #require(lines.last { $0["event"] as? String == "state" })
    #expect(abs((last["bpm"] as? Double ?? 0) - 90) < 0.001 && last["playing"] as? Bool == true)
    #expect((last["phase"] as? Double ?? 9) < 3)
    let events = Set(lines.compactMap { $0["event"] as? String })
    #expect(events.isSuperset(of: ["session_tempo_changed", "playing_changed", "quantum_changed", "enabled_changed"]))
    let times = lines.compactMap { $0["host_us"] as? Int }
    #expect(
      times.count == lines.count && times == times.sorted() && lines.allSatisfy { $0["source"] as? String == "link" })
  }

  @Test func twoProcessesOfAMachineMeet() throws {
    let result = try RustleProcess.shell(
      """
      "$RUSTLE" link --interface lo --port 30002 --bpm 131 < /dev/null > /dev/null & first=$!
      "$RUSTLE" link --interface lo --port 30002 --bpm 70 --rate 20 < /dev/null | grep -m 1 '"peers":1'
      kill $first; wait $first || [ $? -eq 143 ]
      """)
    let lines = try SoundCommandTests.objects(result)
    #expect(result.status == 0 && lines.first?["peers"] as? Int == 1, "\(result.output) \(result.errors)")
  }

  @Test func theMonitorWritesWhatAProgramSays() throws {
    let folder = try ScratchFolder()
    let messages = folder.path("messages")
    let result = try RustleProcess.shell(
      """
      "$RUSTLE" link --monitor --interface lo --port 30003 > '\(messages)' & monitor=$!
      "$RUSTLE" link --interface lo --port 30003 --bpm 131 --start-stop < /dev/null > /dev/null & program=$!
      until grep -q '"alive"' '\(messages)'; do sleep 0.05; done
      kill $program; wait $program || [ $? -eq 143 ]
      until grep -q '"leaving"' '\(messages)'; do sleep 0.05; done
      kill -INT $monitor; { wait $monitor || [ $? -eq 130 ]; } && cat '\(messages)'
      """)
    #expect(result.status == 0, "\(result.errors)")
    let lines = try SoundCommandTests.objects(result)
    let alive = try #require(lines.first { $0["message"] as? String == "alive" })
    #expect(abs((alive["bpm"] as? Double ?? 0) - 131) < 0.001 && alive["interface"] as? String == "127.0.0.1")
    #expect(alive["fault"] is NSNull && (alive["node"] as? String)?.count == 8 && alive["ttl_s"] as? Double == 5)
    #expect(
      lines.last?["message"] as? String == "leaving" && lines.last?["node"] as? String == alive["node"] as? String)
    let text = try RustleProcess.run([
      "link", "--monitor", "--interface", "demo", "--duration", "0.2", "--format", "text",
    ])
    #expect(text.lines.first == "192.0.2.1:20808  alive  demonod1  session demonod1  120.00 BPM", "\(text.output)")
  }

  @Test func badOptionsAndInterfacesAreNamed() throws {
    let cases: [([String], Int32, String)] = [
      (["--bpm", "19"], 64, "expected a tempo from 20 to 999, got '19'"),
      (["--quantum", "0"], 64, "quantum"),
      (["--format", "csv"], 64, "one of 'auto', 'text' or 'ndjson'"),
      (["--interface", "nowhere0"], 64, "nowhere0"),
      (["--interface", "lo", "--interface", "nowhere0"], 64, "nowhere0"),
      (["--monitor", "--bpm", "100"], 64, "--monitor cannot be used with --bpm"),
    ]
    for (words, status, text) in cases {
      let result = try RustleProcess.run(["link"] + words)
      #expect(result.status == status && result.errors.contains(text), "\(words): \(result.status) \(result.errors)")
    }
  }

  @Test func tapsHaveTheirTempo() throws {
    let taps = try RustleProcess.shell(#"printf '%s\n' 10 10.5 11 12 12.5 | "$RUSTLE" tap --json"#)
    let lines = try SoundCommandTests.objects(taps)
    #expect(lines.count == 5 && lines.first?["outcome"] as? String == "first" && lines.first?["bpm"] is NSNull)
    #expect(abs((lines.last?["bpm"] as? Double ?? 0) - 120) < 0.01 && lines.last?["taps"] as? Int == 5)
    let text = try RustleProcess.shell(#"printf '%s\n' 1 1.25 | "$RUSTLE" tap"#)
    #expect(
      text.lines.count == 2 && text.lines.last?.contains("240.00 BPM") == true
        && text.lines.last?.hasSuffix("half?") == true)
    let bad = try RustleProcess.shell(#"printf '%s\n' 1 soon | "$RUSTLE" tap"#)
    #expect(
      bad.status == 65 && bad.errors.contains("line 2: expected a time of 0 to 1e9 s, or an empty line, got 'soon'"))
  }

  @Test func aFileHasItsTempoAndBeats() throws {
    let folder = try ScratchFolder()
    let clicks = (0..<96_000).map { $0 % 4_000 < 40 ? Float(0.5) : 0 }
    let path = try folder.write(WaveFile.floats(clicks, channels: 1, sampleRate: 8_000), as: "clicks.wav")
    let text = try RustleProcess.run(["tempo", path])
    #expect(text.status == 0 && text.output.contains(": 120.0") && text.output.contains("BPM"), "\(text.output)")
    let lines = try SoundCommandTests.objects(try RustleProcess.run(["tempo", path, "--beats", "--json"]))
    #expect(lines.last?["kind"] as? String == "summary" && lines.last?["beats"] as? Int == lines.count - 1)
    for (number, line) in lines.dropLast().enumerated() {
      let time = try #require(line["time_s"] as? Double)
      #expect(line["kind"] as? String == "beat" && abs(time - (time * 2).rounded() / 2) < 0.03, "\(number)")
    }
    let silence = try folder.write(
      WaveFile.floats([Float](repeating: 0, count: 24_000), channels: 1, sampleRate: 8_000), as: "silence.wav")
    #expect(try RustleProcess.run(["tempo", silence]).output.hasSuffix(": no beats\n"))
    let range = try RustleProcess.run(["tempo", path, "--min", "100", "--max", "120"])
    #expect(range.status == 64 && range.errors.contains("--max: expected at least 1.5 times --min"))
  }

  @Test func aShowFollowsASession() throws {
    let result = try RustleProcess.shell(
      "rustle light run --demo pars --tempo link --interface lo --duration 600 --json | head -n 3; exit ${PIPESTATUS[0]}"
    )
    #expect(result.status == 0, "\(result.errors)")
    let lines = try SoundCommandTests.objects(result)
    // Another program of this machine may share its tempo.
    #expect(lines.count == 3 && lines.allSatisfy { (20.0...999.001).contains($0["bpm"] as? Double ?? 0) })
    // Before the first frame they are those that it would have: a session that is joined in between moves them by milliseconds.
    let sent = lines.filter { ($0["frames"] as? Int ?? 0) > 0 }
    let beats = sent.compactMap { $0["beats"] as? Double }
    #expect(beats.count == sent.count && beats == beats.sorted() && beats.last != beats.first, "\(result.output)")
    let folder = try ScratchFolder()
    let clicks = (0..<48_000).map { $0 % 3_750 < 40 ? Float(0.5) : 0 }
    let path = try folder.write(WaveFile.floats(clicks, channels: 1, sampleRate: 8_000), as: "clicks.wav")
    let heard = try SoundCommandTests.objects(
      try RustleProcess.run(["light", "run", "--demo", "pars", "--tempo", "audio", "--sound", path, "--json"]))
    // The file has six seconds, and the first tempo comes after two.
    #expect(abs((heard.last?["bpm"] as? Double ?? 0) - 128) < 2 && (heard.last?["t_ms"] as? Double ?? 0) < 6_100)
    let both = try RustleProcess.run(["light", "run", "--sound", path, "--device", "demo"])
    #expect(both.status == 64 && both.errors.contains("--device cannot be used with --sound"))
    let rendered = try RustleProcess.run(["light", "render", "-o", "x.pcap", "--tempo", "tap"])
    #expect(rendered.status == 64 && rendered.errors.contains("expected a tempo from 1 to 999, got 'tap'"))
  }
}
