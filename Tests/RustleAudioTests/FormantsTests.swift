import RustleAudio
import TestSupport
import Testing

/// Formants as a collection from F1 up.
@Suite(.releasesNativeObjects) struct FormantsTests {
  private static let three = [500.0, 1_500, 2_500].map { Formant(frequency: $0, bandwidth: $0 / 10) }
  private let formants = Formants(three, confidence: 0.75)

  @Test func theyAreARandomAccessCollectionFromZero() {
    func elements(_ collection: some RandomAccessCollection<Formant>) -> [Formant] { Array(collection) }
    #expect(elements(formants) == Self.three && formants.confidence == 0.75)
    #expect(formants.startIndex == 0 && formants.endIndex == 3 && formants.count == 3 && !formants.isEmpty)
    #expect(formants.indices.map { formants[$0] } == Self.three)
    #expect(formants.first == Self.three[0] && formants.last == Self.three[2])
    #expect(formants.index(before: formants.endIndex) == 2 && formants.distance(from: 0, to: 3) == 3)
    #expect(Array(formants.reversed()) == Self.three.reversed())
    #expect(formants[1...].map(\.frequency) == [1_500, 2_500])
  }

  @Test func formantsAreNumberedFromOne() {
    #expect((1...3).map { formants.formant($0) } == Self.three)
    #expect(formants.formant(0) == nil && formants.formant(4) == nil && formants.formant(-1) == nil)
    #expect(formants.f1 == 500 && formants.f2 == 1_500 && formants.f3 == 2_500)
    #expect(Formants(Array(Self.three[..<1])).f2 == nil && Formants(Array(Self.three[..<2])).f3 == nil)
  }

  @Test func withoutFormantsTheCollectionIsEmpty() {
    #expect(Formants().isEmpty && Formants().startIndex == Formants().endIndex && Formants().confidence == 0)
    #expect(Formants().f1 == nil && Formants() != formants)
  }
}
