import Foundation
import RustleAudio
import TestSupport
import Testing

@Suite(.releasesNativeObjects) struct ReferenceLearnerTests {
  /// A number of mean 0 and variance 1 (Box and Muller).
  static func normal(_ generator: inout SeededGenerator) -> Double {
    let radius = (-2 * log(Double.random(in: 1e-12...1, using: &generator))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
  }

  /// A learner behind a reference: the macros of the tests take no call that changes a value.
  final class Learning {
    private(set) var learner: ReferenceLearner

    init() throws { learner = try ReferenceLearner(tuning: .standard) }

    func add(_ frequency: Double?, _ confidence: Double, deviation: Double? = nil) -> Bool {
      learner.add(frequency: frequency, confidence: confidence, deviation: deviation)
    }

    func reset() { learner.reset() }
  }

  @Test func aSteadyToneIsLearnedExactly() throws {
    var learner = try ReferenceLearner(tuning: .standard)
    #expect(learner.result == nil)
    for count in 1...60 {
      let isTaken = learner.add(frequency: 442.5, confidence: 0.9)
      #expect(isTaken)
      #expect(learner.result?.isEnough == (count < 3 ? nil : count >= 40))
    }
    let result = try #require(learner.result)
    #expect(abs(result.reference - 442.5) < 1e-9 && result.used == 60 && result.rejected == 0)
    #expect(result.uncertainty < 1e-9 && result.uncertaintyHertz < 1e-9)
  }

  /// Over many trials the error has the reported standard deviation.
  @Test func theUncertaintyIsThatOfTheMean() throws {
    var generator = SeededGenerator(seed: 16)
    var sum = 0.0
    let trials = 400
    for _ in 0..<trials {
      var learner = try ReferenceLearner(tuning: .standard, goal: .init(overlap: 1))
      for _ in 0..<100 {
        learner.add(frequency: 415 * pow(2, 2 * Self.normal(&generator) / 1_200), confidence: 1)
      }
      let result = try #require(learner.result)
      let error = Tuning.cents(result.reference / 415)
      // 2 cents over the root of 100.
      #expect(result.uncertainty > 0.14 && result.uncertainty < 0.27 && abs(error) < 1)
      sum += error * error / (result.uncertainty * result.uncertainty)
    }
    #expect(sum / Double(trials) > 0.8 && sum / Double(trials) < 1.3)
  }

  @Test func outliersAreRejected() throws {
    var generator = SeededGenerator(seed: 17)
    var learner = try ReferenceLearner(tuning: .standard)
    for index in 0..<200 {
      let noise = pow(2, 0.5 * Self.normal(&generator) / 1_200)
      // A quarter of other notes, an octave and a semitone off.
      learner.add(frequency: (index % 8 == 0 ? 441 * 1.06 : index % 8 == 1 ? 220.5 : 441) * noise, confidence: 1)
    }
    let result = try #require(learner.result)
    #expect(abs(Tuning.cents(result.reference / 441)) < 0.5)
    // The octave is out of the range of references, and was not taken at all.
    #expect(result.used + result.rejected == 175 && result.rejected >= 25)
  }

  @Test func overlappingFramesCountForOne() throws {
    func uncertainty(_ overlap: Int) throws -> Double {
      var generator = SeededGenerator(seed: 18)
      var learner = try ReferenceLearner(tuning: .standard, goal: .init(overlap: overlap))
      for _ in 0..<400 { learner.add(frequency: 440 + 0.3 * Self.normal(&generator), confidence: 1) }
      return try #require(learner.result).uncertainty
    }
    // By the root of 4, except for the degree of freedom that the mean takes.
    let ratio = try uncertainty(4) / uncertainty(1)
    #expect(ratio > 2 && ratio < 2.02)
    // As many in a row as there are: nothing is known but the spread.
    #expect(try uncertainty(1_000) > 1)
  }

  @Test func weightsAreByConfidenceAndDeviation() throws {
    var learner = try ReferenceLearner(tuning: .standard)
    for _ in 0..<10 {
      learner.add(frequency: 440 * pow(2, 1.0 / 1_200), confidence: 1, deviation: 2)
      learner.add(frequency: 440 * pow(2, 3.0 / 1_200), confidence: 0.5, deviation: 1)
      // Without a deviation, as with one of 1 cent.
      learner.add(frequency: 440 * pow(2, 2.0 / 1_200), confidence: 1)
    }
    let result = try #require(learner.result)
    // More than half of the weight is at 2 cents, so that the spread is 0: what the readings say of themselves counts.
    // Weights 1/4, 1/2 and 1 of 1, 3 and 2 cents.
    #expect(result.rejected == 0)
    #expect(abs(Tuning.cents(result.reference / 440) - (0.25 + 1.5 + 2) / 1.75) < 1e-9)
  }

  @Test func otherNotesTeachTheReferenceThroughTheTuning() throws {
    let truth = try Tuning(
      reference: 432, temperament: Temperament(.kirnbergerIII), transposition: 2, clockCorrection: 80)
    let start = try truth.with(reference: 440)
    for (note, midi) in [(Note(midi: 64), 64), (Note?.none, 57)] {
      var learner = try ReferenceLearner(tuning: start, note: note)
      // What the card measures is lower than what sounds.
      let measured = truth.frequency(of: Note(midi: midi)) / (1 + 80e-6)
      for _ in 0..<50 { learner.add(frequency: measured, confidence: 1) }
      #expect(abs(try #require(learner.result).reference - 432) < 1e-9)
    }
  }

  @Test func whatCannotBeIsNotTaken() throws {
    let learning = try Learning()
    #expect(!learning.add(nil, 1) && !learning.add(.nan, 1) && !learning.add(.infinity, 1))
    #expect(!learning.add(440, 0) && !learning.add(440, .nan) && !learning.add(440, 1.1))
    #expect(!learning.add(440, 1, deviation: 0) && !learning.add(501, 1) && !learning.add(299, 1))
    #expect(learning.add(300, 1) && learning.add(500, 1, deviation: 1e-300) && learning.learner.result == nil)
    // One reading cannot outweigh all, however exact it says it is, and the result stays within the range.
    #expect(learning.add(500, 1))
    #expect(try #require(learning.learner.result).reference <= 500)
    learning.reset()
    #expect(learning.learner.result == nil)
  }

  @Test func memoryIsBounded() throws {
    var learner = try ReferenceLearner(tuning: .standard)
    for _ in 0..<ReferenceLearner.maximumReadingCount { learner.add(frequency: 430, confidence: 1) }
    for _ in 0..<ReferenceLearner.maximumReadingCount { learner.add(frequency: 450, confidence: 1) }
    let result = try #require(learner.result)
    #expect(result.used == ReferenceLearner.maximumReadingCount && abs(result.reference - 450) < 1e-9)
  }

  @Test func goalsAreChecked() {
    func message(_ goal: ReferenceLearner.Goal) -> String? {
      #expect(throws: AudioError.self) { try ReferenceLearner(tuning: .standard, goal: goal) }?.message
    }
    #expect(message(.init(readings: 2)) == "readings: expected 3 to 4096, got 2")
    #expect(message(.init(uncertainty: 0)) == "uncertainty: expected above 0 cents, got 0")
    #expect(message(.init(overlap: 0)) == "overlap: expected 1 or more, got 0")
  }
}
