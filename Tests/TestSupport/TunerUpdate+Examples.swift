package import RustleAudio

extension TunerUpdate {
  /// The update of a tone; nil: silence.
  ///
  /// - Parameter held: the reading of a tone that has ended.
  package static func example(
    _ time: Double, _ frequency: Double?, confidence: Double = 0.97, held: TuningReading? = nil,
    instrument: Instrument = .chromatic, tuning: Tuning = .standard, isLearning: Bool = false, lost: Int64 = 0,
    overruns: Int = 0, isPolyphonic: Bool = false
  ) -> Self {
    var polyphony = PolyphonyVerdict()
    polyphony.isPresentNow = isPolyphonic
    let reading = frequency.flatMap { tuning.reading(of: $0, on: instrument) }
    let frame = PitchFrame(
      sample: Int64((48_000 * time).rounded()), time: time, frequency: frequency,
      confidence: frequency == nil ? 0 : confidence, deviation: frequency == nil ? 0 : 0.25, inharmonicity: 2e-4,
      harmonicity: 30, level: frequency == nil ? -.infinity : -23.4)
    let needle = (held ?? reading).map { NeedleSmoother.Needle(reading: $0, isHeld: held != nil, age: time) }
    return Self(
      time: time, frame: frame, reading: reading, needle: needle, tuning: tuning, isLearning: isLearning,
      droppedFrames: lost, overruns: overruns, polyphony: polyphony)
  }

  /// Updates of one frequency every 10 ms.
  package static func tone(
    _ frequency: Double, from begin: Int, count: Int, instrument: Instrument = .chromatic, tuning: Tuning = .standard
  ) -> [Self] {
    (begin..<begin + count).map { example(0.01 * Double($0), frequency, instrument: instrument, tuning: tuning) }
  }
}
