import Foundation
import RustleFiles
import TestSupport
import Testing

@testable import RustleCLI

/// What every subcommand does with arguments, names of files and shells. Processes are run one after the other.
extension CommandTests {
  @Test(arguments: [["spectrum"], ["spectrum", "a.wav", "--sizee", "3"], ["eq", "--live", "--response"], ["tikcer"]])
  func everyErrorBeginsAlike(arguments: [String]) throws {
    let result = try RustleProcess.run(arguments)
    #expect(result.status == 64 && result.output == "")
    #expect(result.errors.hasPrefix("error: ") && !result.errors.contains("Error"))
  }

  // MARK: names of files

  @Test func aNameThatIsNotUTF8IsReportedWithItsBytes() throws {
    let folder = try ScratchFolder()
    let path = try folder.write(WaveFile.sine(440, amplitude: 0.5, seconds: 0.1, sampleRate: 8_000), as: "a.wav")
    let result = try RustleProcess.shell(
      "cd '\(folder.url.path)'; mv a.wav $'caf\\xe9 \\u20ac.wav'; rustle spectrum caf*")
    #expect(result.status == 64 && result.output == "")
    #expect(
      result.errors == "error: argument 2: expected UTF-8, got 'caf\\xE9 €.wav'\n"
        + "  Rename the file, or read it from standard input, as in 'rustle spectrum - < file'.\n")
    // As the advice has it, the file is read.
    let read = try RustleProcess.shell("cd '\(folder.url.path)'; rustle spectrum - --json < caf*")
    #expect(read.status == 0 && read.output.contains("\"sample_rate_hz\":8000"), "\(path)")
    // The replacement character itself is UTF-8.
    let other = try RustleProcess.run(["spectrum", "no/\u{FFFD}.wav"])
    #expect(other.status == 66 && other.errors.hasPrefix("error: no/\u{FFFD}.wav: no such file\n"))
  }

  @Test func aNameThatIsTooLongIsRefusedInOurWords() throws {
    let folder = try ScratchFolder()
    let sine = WaveFile.sine(440, amplitude: 0.5, seconds: 0.1, sampleRate: 8_000)
    let path = try folder.write(sine, as: "a.wav")
    let long = folder.path(String(repeating: "x", count: 300) + ".wav")
    let cases: [(arguments: [String], status: Int32, text: String)] = [
      (["eq", path, long], 64, "expected a name of at most 255 bytes, got \(long)"),
      (["spectrum", path, "--png", long], 64, "--png: expected a name of at most 255 bytes, got \(long)"),
      (["ticker", "BTC", "--record", long, "--duration", "1"], 64, "--record: expected a name of at most 255 bytes"),
      (["record", long, "--demo", "--duration", "0.1"], 69, "\(long): cannot be created: the name is too long"),
      (["meter", path, "--response", long], 66, "--response: \(long): the name is too long"),
      (["spectrum", long], 66, "\(long): no such file"),
    ]
    for one in cases {
      let result = try RustleProcess.run(one.arguments)
      #expect(result.status == one.status && result.output == "", "\(one.arguments)")
      #expect(result.errors.hasPrefix("error: ") && result.errors.contains(one.text), "\(result.errors)")
    }
  }

  #if os(Linux)
  @Test func filesOfTheKernelAreRefusedInOurWords() throws {
    // Only the superuser gets as far as the system's refusal.
    let isSuperuser = geteuid() == 0
    let cases: [(arguments: [String], text: String)] = [
      (["meter", "--demo", "--response", "/proc/self/mem"], "cannot be read: the system could not read or write it"),
      (["ticker", "--replay", "/proc/self/mem", "--input", "csv"], "mem\": the system could not read it\n"),
      (
        ["eq", "--response", "--png", "/proc/x.png"],
        "cannot write /proc/x.png: " + (isSuperuser ? "no such file or folder" : "permission denied")
      ),
      (
        ["ticker", "BTC", "--record", "/proc/x", "--duration", "9"],
        isSuperuser ? "cannot be written after 0 trades: no such file" : "permission denied"
      ),
    ]
    for one in cases {
      let result = try RustleProcess.run(one.arguments)
      #expect(result.status == 66 || result.status == 69)
      #expect(result.errors.contains(one.text) && !result.errors.contains("operation"), "\(result.errors)")
    }
  }
  #endif

  // MARK: completions

  @Test(arguments: ["bash", "zsh", "fish"]) func aShellGetsItsScript(shell: String) throws {
    let result = try RustleProcess.run(["completions", shell])
    #expect(result.status == 0 && result.errors == "")
    for word in ["spectrogram", "completions", "instrument", "---completion"] { #expect(result.output.contains(word)) }
    let generated = try RustleProcess.run(["--generate-completion-script", shell])
    #expect(result.output == generated.output)
  }

  @Test func anotherShellIsRefused() throws {
    let result = try RustleProcess.run(["completions", "csh"])
    #expect(result.status == 64 && result.errors.contains("expected bash, zsh or fish, got 'csh'"))
  }

  /// The words that the script of bash offers for a line, with the cursor at its end.
  private func words(after line: String, in folder: borrowing ScratchFolder) throws -> [String] {
    let result = try RustleProcess.shell(
      """
      cd '\(folder.url.path)'; source <("$RUSTLE" completions bash)
      PATH="$(dirname "$RUSTLE"):$PATH"
      COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}; read -ra COMP_WORDS <<< "$COMP_LINE"
      [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_TYPE=9
      _rustle rustle "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
    return result.lines.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test func bashCompletesDevicesAndInstruments() throws {
    let folder = try ScratchFolder()
    _ = try folder.write(Data(), as: "mine.json")
    _ = try folder.write(Data(), as: "other.txt")
    #expect(try words(after: "rustle sp", in: folder).sorted() == ["spectrogram", "spectrum"])
    #expect(try words(after: "rustle meter --device de", in: folder).sorted().starts(with: ["default", "demo"]))
    #expect(try words(after: "rustle tune --instrument guit", in: folder).contains("guitar"))
    let instruments = try words(after: "rustle tune --instrument ", in: folder)
    #expect(
      instruments.contains("chromatic") && instruments.contains("mine.json") && !instruments.contains("other.txt"))
    #expect(try words(after: "rustle tune --temperament werck", in: folder) == ["werckmeisterIII"])
    #expect(try words(after: "rustle ticker --exchange kr", in: folder) == ["kraken"])
    #expect(
      try words(after: "rustle ticker --exchange ", in: folder).sorted() == [
        "binance", "coinbase", "kraken", "mine.json",
      ])
  }
}

@Suite(.releasesNativeObjects) struct ArgumentBytesTests {
  private func malformed(_ arguments: [String], _ bytes: [UInt8]?) -> String? {
    let found = ArgumentBytes.malformed(in: arguments, commandLine: bytes.map { Data($0) })
    return found.map { "\($0.position) \($0.text)" }
  }

  @Test func onlyBytesThatAreNoCharacterAreMalformed() {
    #expect(malformed(["a", "b"], nil) == nil)
    #expect(malformed(["a", "\u{FFFD}"], nil) == "2 \u{FFFD}")
    let program: [UInt8] = [0x72, 0]
    #expect(malformed(["a", "\u{FFFD}"], program + [0x61, 0, 0xEF, 0xBF, 0xBD, 0]) == nil)
    #expect(malformed(["a", "\u{FFFD}b"], program + [0x61, 0, 0xFF, 0x62, 0]) == "2 \\xFFb")
    // A character that is cut, and one of four bytes.
    #expect(malformed(["\u{FFFD}🎵"], program + [0xE2, 0x82, 0xF0, 0x9F, 0x8E, 0xB5, 0]) == "1 \\xE2\\x82🎵")
    #expect(malformed(["", "\u{FFFD}"], program + [0, 0xFF, 0]) == "2 \\xFF")
  }
}
