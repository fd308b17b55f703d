import Foundation
import RustleCore
import Synchronization
import TestSupport
import Testing

@testable import RustleAudio
@testable import RustleCLI

/// The live view, drawn into a text.
@Suite(.releasesNativeObjects) struct LiveTunerTests {
  /// What was written last.
  private final class Paper: Sendable {
    private let last = Mutex("")
    var text: String { last.withLock { $0 } }
    func write(_ text: String) { last.withLock { $0 = text } }
  }

  private let paper = Paper()
  private let tuner: Tuner
  private let view: LiveTuner

  init() throws {
    let paper = paper
    let configuration = TunerConfiguration()
    tuner = try Tuner(format: AudioFormat(sampleRate: 48_000, channels: 1), configuration: configuration)
    view = LiveTuner(
      tuner: tuner, keys: TuneKeys(start: configuration), subject: try TuneLinesTests.subject(),
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
    await show(TuneLinesTests.update(1, 442))
    #expect(try await picture().contains("A4  +7.9 cents"))
    #expect(await view.press(.pause) == false)
    await show(TuneLinesTests.update(2, 330))
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
    #expect(try await picture().contains(TuneKeys.help))
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

  @Test func lostSoundAndALearnedReferenceAreReported() async throws {
    await show(TuneLinesTests.update(1, 442, isLearning: true, lost: 480))
    #expect(try await picture().contains("DROPPED 480 frames"))
    let update = TuneLinesTests.update(2, 442, lost: 480)
    await show(
      TunerUpdate(
        time: 2, frame: update.frame, reading: update.reading, needle: update.needle,
        tuning: try Tuning(reference: 442.25), isLearning: false, droppedFrames: 480, overruns: 0))
    #expect(try await picture().contains("learned A4 = 442.25 Hz"))
  }
}
