import Foundation
import RustleCore
import RustleAudioFiles
import RustlePlot
import TestSupport
import Testing

@testable import RustleAudio
@testable import RustleCLI

/// The live view, drawn into a text.
@Suite(.releasesNativeObjects) struct LiveTunerTests {
  /// What was written last.
  private final class Paper: Sendable {
    private let last = SeenMutex("")
    var text: String { last.withLock { $0 } }
    func write(_ text: String) { last.withLock { $0 = text } }
  }

  private let paper = Paper()
  private let tuner: Tuner
  private let view: LiveTuner

  init() throws { try self.init(TunerConfiguration()) }

  private init(_ configuration: TunerConfiguration) throws {
    let paper = paper
    tuner = try Tuner(format: AudioFormat(sampleRate: 48_000, channels: 1), configuration: configuration)
    view = LiveTuner(
      tuner: tuner, start: configuration, subject: try TuneLinesTests.subject(),
      options: TunerViewOptions(),
      screen: LiveScreen(
        hasKeys: true, session: TerminalSession(output: -1, input: nil, write: { paper.write($0) }),
        makeProfile: { TickerViewTests.profile(columns: 80) }))
  }

  private func picture() async throws -> String {
    try await view.drawIfNeeded()
    return paper.text
  }

  private func show(_ update: TunerUpdate) async { await view.show(update) }

  @Test func updatesAreDrawnAndAPauseFreezesThem() async throws {
    #expect(try await picture().contains("no tone"))
    await show(.example(1, 442))
    #expect(try await picture().contains("A4  +7.9 cents"))
    #expect(await view.press(.pause) == false)
    await show(.example(2, 330))
    let paused = try await picture()
    #expect(paused.contains("A4  +7.9 cents") && paused.contains("paused"))
    #expect(await view.press(.pause) == false)
    let after = try await picture()
    #expect(after.contains("E4") && !after.contains("paused"))
    #expect(await view.press(.quit))
  }

  @Test func keysSetTheTuner() async throws {
    #expect(await view.press(.up) == false)
    #expect(await tuner.configuration.tuning.reference == 441)
    #expect(try await picture().contains("A4 = 441 Hz"))
    #expect(await view.press(.letter("i")) == false)
    #expect(await tuner.configuration.instrument == Instrument(.guitar))
    #expect(try await picture().contains("Guitar"))
    #expect(await view.press(.restart) == false)
    #expect(await tuner.configuration == TunerConfiguration())
    #expect(await view.press(.help) == false)
    #expect(
      try await picture().contains("q quit  arrows A4  i instrument  t temperament  l learn  s stretch  r restore"))
  }

  @Test func learningIsShownWhileItGoesOn() async throws {
    #expect(await view.press(.letter("l")) == false)
    #expect(await tuner.isLearning)
    #expect(try await picture().contains("learning A4: play a note"))
    #expect(await view.press(.letter("l")) == false)
    #expect(await !tuner.isLearning)
    #expect(try await !picture().contains("learning"))
    #expect(await view.press(.letter("s")) == false)
    #expect(try await picture().contains("no stretch: play some notes first"))
  }

  @Test func severalNotesAreReportedWhileTheySound() async throws {
    await show(.example(1, 65.4, isPolyphonic: true))
    #expect(try await picture().contains("several notes sound at once"))
    await show(.example(2, 442))
    #expect(try await !picture().contains("several notes"))
  }

  @Test func lostSoundAndALearnedReferenceAreReported() async throws {
    await show(.example(1, 442, isLearning: true, lost: 480))
    #expect(try await picture().contains("DROPPED 480 frames"))
    let update = TunerUpdate.example(2, 442, lost: 480)
    await show(
      TunerUpdate(
        time: 2, frame: update.frame, reading: update.reading, needle: update.needle,
        tuning: try Tuning(reference: 442.25), isLearning: false, droppedFrames: 480, overruns: 0))
    #expect(try await picture().contains("learned A4 = 442.25 Hz"))
  }

  @Test func keysMoveTheReference() async throws {
    func reference(_ key: Key, from hertz: Double = 440) async throws -> Double {
      try await tuner.set(reference: hertz)
      #expect(await view.press(key) == false)
      return await tuner.configuration.tuning.reference
    }
    #expect(try await reference(.up) == 441)
    #expect(try await reference(.letter("+")) == 441)
    #expect(try await reference(.down) == 439)
    #expect(try await reference(.letter("-")) == 439)
    #expect(try await reference(.right) == 440.1)
    #expect(try await reference(.left) == 439.9)
    #expect(try await reference(.up, from: 499.5) == 500)
    #expect(try await reference(.down, from: 300) == 300)
    #expect(try await reference(.right, from: 441.237) == 441.3)
  }

  @Test func keysGoRoundInstrumentsAndTemperaments() async throws {
    let own = try Instrument(name: "Own", notes: "C2 G2")
    let other = try LiveTunerTests(TunerConfiguration(instrument: own))
    var seen: [String] = []
    repeat {
      #expect(await other.view.press(.letter("i")) == false)
      seen.append(await other.tuner.configuration.instrument.name)
    } while seen.last != "Own" && seen.count < 100
    #expect(seen.count == Instrument.Preset.allCases.count + 2 && seen.first == "Chromatic" && seen.last == "Own")
    var names: [String] = []
    for _ in Temperament.Preset.allCases {
      #expect(await other.view.press(.letter("t")) == false)
      names.append(await other.tuner.configuration.tuning.temperament.name)
    }
    #expect(names.count == Temperament.Preset.allCases.count && names.last == "Equal temperament")
    #expect(Set(names).count == names.count)
  }

  @Test func otherKeysChangeNothingAndASecondStretchEndsTheFirst() async throws {
    #expect(await view.press(.letter("x")) == false)
    #expect(await view.press(.pageUp) == false)
    #expect(await tuner.configuration == TunerConfiguration())
    #expect(await !tuner.isLearning)
    let curve = try StretchCurve(points: [StretchCurve.Point(note: .a4, inharmonicity: 1e-3)])
    await tuner.set(tuning: Tuning.standard.with(stretch: curve))
    #expect(await view.press(.letter("s")) == false)
    #expect(await tuner.configuration.tuning == .standard, "a second time takes it away")
  }
}
