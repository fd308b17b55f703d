import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct ScalaTests {
  static func message(_ text: String) -> String? {
    let error = #expect(throws: AudioError.self) { try Temperament(scala: text) }
    #expect(error?.code == .validation)
    return error?.message
  }

  @Test func aFileWithAllThatTheFormatHas() throws {
    let text = """
      ! test.scl\r
      !\r
      Ratios, cents and remarks\r
       8 notes\r
      !\r
       81/64   the Pythagorean third\r
      \t408.\r
       408.0 cents\r
      ! in between\r
       5/4 ! and a remark\r
       5\r
       2 / 1\r
       -5.0\r
       100.0 C#\r
      what follows is of no concern
      """
    let scale = try Temperament(scala: text)
    #expect(scale.name == "Ratios, cents and remarks")
    #expect(
      scale.steps == [
        .ratio(81, 64), .cents(408), .cents(408), .ratio(5, 4), .ratio(5, 1), .ratio(2, 1), .cents(-5), .cents(100),
      ])
    #expect(scale.period == 100 && !scale.isChromatic)
  }

  @Test func scalesWhosePeriodIsNoOctave() throws {
    // Bohlen-Pierce in equal steps: thirteen of the twelfth, 3/1.
    let steps = (1...12).map { " \(1_200 * log2(3.0) * Double($0) / 13)\n" }.joined()
    let scale = try Temperament(scala: "Bohlen-Pierce\n13\n" + steps + "3/1\n")
    #expect(abs(scale.period - 1_901.955_000_865) < 1e-6)
    #expect(abs(scale.cents(ofStep: 14) - scale.period - scale.cents[1]) < 1e-9)
    #expect(abs(scale.cents(ofStep: -1) + scale.period - scale.cents[12]) < 1e-9)
  }

  @Test func anEmptyDescriptionIsALine() throws {
    let scale = try Temperament(scala: "! only.scl\n\n1\n2/1")
    #expect(scale.name.isEmpty && scale.steps == [.octave])
  }

  @Test func numbersBeyond64BitsBecomeCents() throws {
    // 52 fifths, 3^52 / 2^82.
    let scale = try Temperament(scala: "53\n2\n6461081889226673298932241/4835703278458516698824704\n2\n")
    guard case .cents(let cents) = scale.steps[0] else {
      Issue.record("expected cents, got \(scale.steps[0])")
      return
    }
    #expect(abs(cents - (52 * 1_200 * log2(3) - 82 * 1_200)) < 1e-8)
    // The largest of 64 bits stays a ratio.
    let large = try Temperament(scala: "\n2\n18446744073709551615/18446744073709551614\n2\n")
    #expect(large.steps[0] == .ratio(.max, .max - 1))
  }

  @Test(
    arguments: [
      ("", "line 1: expected a description, which may be an empty line, got the end of the file"),
      ("! a\n! b\n", "line 3: expected a description, which may be an empty line, got the end of the file"),
      ("name", "line 2: expected the number of steps, got the end of the file"),
      ("name\n", "line 2: expected the number of steps, got the end of the file"),
      ("name\ntwelve", "line 2: expected the number of steps, 1 to 4096, got \"twelve\""),
      ("name\n\n", "line 2: expected the number of steps, 1 to 4096, got nothing"),
      ("name\n-1\n", "line 2: expected the number of steps, 1 to 4096, got \"-1\""),
      ("name\n4097\n", "line 2: expected the number of steps, 1 to 4096, got \"4097\""),
      ("name\n! x\n0\n", "line 3: expected 1 to 4096 steps, got 0"),
      ("name\n2\n3/2\n", "line 4: expected 2 steps, of which there are 1, got the end of the file"),
      ("name\n1\n\n", "line 3: expected a ratio such as 3/2 or cents with a point, got nothing"),
      ("name\n1\n-3/2", "line 3: expected a ratio such as 3/2 or cents with a point, got \"-3/2\""),
      ("name\n1\n3/-2", "line 3: expected a ratio such as 3/2 or cents with a point, got \"3/-2\""),
      ("name\n1\n3/0", "line 3: expected a ratio such as 3/2 or cents with a point, got \"3/0\""),
      ("name\n1\n0/3", "line 3: expected a ratio such as 3/2 or cents with a point, got \"0/3\""),
      ("name\n1\n3/2/1", "line 3: expected a ratio such as 3/2 or cents with a point, got \"3/2/1\""),
      ("name\n1\n3/", "line 3: expected a ratio such as 3/2 or cents with a point, got \"3/\""),
      ("name\n1\n1.2.3", "line 3: expected a ratio such as 3/2 or cents with a point, got \"1.2.3\""),
      ("name\n1\n.", "line 3: expected a ratio such as 3/2 or cents with a point, got \".\""),
      ("name\n1\n1e3.0", "line 3: expected a ratio such as 3/2 or cents with a point, got \"1e3.0\""),
      ("name\n1\n--5.0", "line 3: expected a ratio such as 3/2 or cents with a point, got \"--5.0\""),
      ("name\n1\nnan.", "line 3: expected a ratio such as 3/2 or cents with a point, got \"nan.\""),
      ("name\n1\n701,955", "line 3: expected a ratio such as 3/2 or cents with a point, got \"701,955\""),
      ("name\n1\n30000.0", "line 3: expected a ratio such as 3/2 or cents with a point, got \"30000.0\""),
      ("name\n2\n2/1\n1/1", "line 4: expected a period of at least 1 cent as the last step, got 1/1"),
      ("name\n1\n-1200.0", "line 3: expected a period of at least 1 cent as the last step, got -1200.0"),
      ("name\n1\n\u{1B}[2J", "line 3: expected a ratio such as 3/2 or cents with a point, got \"\\u{1B}[2J\""),
    ])
  func whatIsMalformedIsAnErrorWithItsLine(text: String, expected: String) {
    #expect(Self.message(text) == expected)
  }

  @Test func lengthsAreBounded() {
    let long = String(repeating: "!", count: Temperament.maximumScalaLength + 1)
    #expect(Self.message(long) == "scale: expected at most 1048576 bytes, got 1048577")
  }

  @Test func whatIsWrittenReadsBack() throws {
    for preset in Temperament.Preset.allCases {
      #expect(try Temperament(scala: Temperament(preset).scala()) == Temperament(preset))
    }
    var generator = SeededGenerator(seed: 12)
    for _ in 0..<300 {
      let steps = (0..<Int.random(in: 0...40, using: &generator)).map { _ -> ScaleInterval in
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: .cents(.random(in: -3_000...3_000, using: &generator))
        case 1: .cents(Double(Int.random(in: -9...9, using: &generator)) * 1e-6)
        default: .ratio(.random(in: 1...4_000, using: &generator), .random(in: 1...4_000, using: &generator))
        }
      }
      let scale = try Temperament(name: "!seed", steps: steps + [.ratio(3, 1)])
      #expect(try Temperament(scala: scale.scala()) == scale)
      #expect(try Temperament(scala: scale.scala().replacing("\n", with: "\r")) == scale)
    }
  }

  @Test func theWrittenForm() throws {
    let scale = try Temperament(name: "Fifths", steps: [.cents(701.955), .octave])
    #expect(scale.scala() == "Fifths\n 2\n!\n 701.955\n 2/1\n")
  }

  @Test func filesInOldEncodings() throws {
    let latin = Data([0x47, 0xFC, 0x6E, 0x0A, 0x31, 0x0A, 0x32, 0x0A])
    #expect(try Temperament(scalaFile: latin).name == "G\u{FC}n")
    #expect(try Temperament(scalaFile: Data("\u{FEFF}G\u{FC}n\n1\n2\n".utf8)).name == "G\u{FC}n")
  }

  @Test func randomBytesNeverTrap() throws {
    let words = [
      "name", "\n", "\r\n", "!", "1", "2", "12", "3/2", "2/1", "/", "701.955", "-", ".", "99999999999999999999999",
      "\u{FEFF}",
      " ", "\t", "e", "\u{0}", "é", "1200.",
    ]
    var generator = SeededGenerator(seed: 13)
    for _ in 0..<3_000 {
      let picked = (0..<Int.random(in: 0...30, using: &generator)).compactMap { _ in
        words.randomElement(using: &generator)
      }
      for text in [picked.joined(), "name\n3\n" + picked.joined(separator: "\n")] {
        do {
          let scale = try Temperament(scala: text)
          #expect(scale.period >= 1 && scale.cents.count == scale.steps.count)
        } catch {
          #expect(error.code == .validation && error.message.hasPrefix("line "))
          #expect(!error.message.unicodeScalars.contains { $0.value < 0x20 })
        }
      }
    }
  }
}
