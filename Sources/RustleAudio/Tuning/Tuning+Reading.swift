extension Tuning {
  /// Returns the reading of a frequency.
  ///
  /// - Parameters:
  ///   - frequency: as measured, in Hz; the clock's correction is applied here.
  ///   - instrument: the reading is relative to its nearest string, or without strings, as in ``Instrument/chromatic``, to the
  ///     nearest step of the temperament.
  /// - Returns: nil when the frequency, corrected, is not within ``frequencyRange``.
  public func reading(of frequency: Double, on instrument: Instrument = .chromatic) -> TuningReading? {
    guard let actual = corrected(frequency) else { return nil }
    if let string = instrument.nearestString(to: frequency, tuning: self) {
      return reading(actual, string: string, of: instrument)
    }
    return reading(actual, step: nearestStep(to: Self.cents(actual / reference)))
  }

  /// Returns the reading relative to the target of a former one, however far it is, for a needle that stays with its note.
  ///
  /// - Parameters:
  ///   - frequency: as measured, in Hz.
  ///   - former: a reading of this tuning and this instrument.
  ///   - instrument: the instrument of `former`.
  /// - Returns: nil when the frequency, corrected, is not within ``frequencyRange``, and when the instrument has no such string.
  public func reading(
    of frequency: Double, keeping former: TuningReading, on instrument: Instrument = .chromatic
  ) -> TuningReading? {
    guard let actual = corrected(frequency) else { return nil }
    guard let string = former.stringIndex else { return reading(actual, step: former.step) }
    return instrument.strings.indices.contains(string) ? reading(actual, string: string, of: instrument) : nil
  }

  /// Returns the frequency of a written note, in Hz. In a scale whose steps are not notes, that of the step nearest to the note.
  ///
  /// - Parameter note: as the player reads it: ``transposition`` above the sounding one.
  public func frequency(of note: Note) -> Double {
    frequency(ofStep: step(ofConcert: note.midi - transposition))
  }

  /// Returns the frequency of a step of the temperament, in Hz.
  ///
  /// - Parameter step: counted from the tonic of octave 4, as in ``Temperament/cents(ofStep:)``.
  public func frequency(ofStep step: Int) -> Double { reference * Self.ratio(cents: pitch(ofStep: step)) }

  /// Returns the frequency of a string, in Hz.
  ///
  /// - Parameter string: its ``InstrumentString/note`` is the sounding one, not the written one.
  public func frequency(of string: InstrumentString) -> Double {
    reference * Self.ratio(cents: pitch(of: string))
  }

  /// The measured frequency, corrected by the clock's error; nil when it is not within ``frequencyRange``.
  func corrected(_ frequency: Double) -> Double? {
    let actual = frequency * (1 + 1e-6 * clockCorrection)
    return Self.frequencyRange.contains(actual) ? actual : nil
  }

  /// Cents above the reference, stretch and offset included.
  func pitch(of string: InstrumentString) -> Double {
    pitch(ofStep: step(ofConcert: string.note.midi)) + string.offset
  }

  /// Cents above the reference, stretch included.
  func pitch(ofStep step: Int) -> Double {
    let plain = plainPitch(ofStep: step)
    return plain + (stretch?.cents(at: position(ofStep: step, plain)) ?? 0)
  }

  /// The step nearest to a pitch in cents above the reference.
  func nearestStep(to pitch: Double) -> Int {
    let first = temperament.nearestStep(to: pitch - tonicPitch)
    guard stretch != nil else { return first }
    // The stretch depends on the step, and changes little from one to the next: the first guess's brings the pitch back into the
    // temperament, and the neighbours are compared.
    let shift = self.pitch(ofStep: first) - plainPitch(ofStep: first)
    let second = temperament.nearestStep(to: pitch - shift - tonicPitch)
    let candidates = [second, first, second - 1, second + 1]
    return candidates.min { abs(self.pitch(ofStep: $0) - pitch) < abs(self.pitch(ofStep: $1) - pitch) } ?? first
  }

  private func reading(_ actual: Double, step: Int) -> TuningReading {
    reading(actual, step: step, string: nil, pitch: pitch(ofStep: step))
  }

  private func reading(_ actual: Double, string: Int, of instrument: Instrument) -> TuningReading {
    let one = instrument.strings[string]
    return reading(actual, step: step(ofConcert: one.note.midi), string: string, pitch: pitch(of: one))
  }

  private func reading(_ actual: Double, step: Int, string: Int?, pitch: Double) -> TuningReading {
    let concert = concertNote(ofStep: step)
    return TuningReading(
      frequency: actual, target: reference * Self.ratio(cents: pitch),
      cents: Self.cents(actual / reference) - pitch,
      note: Note(midi: concert + transposition), spelling: spelling, step: step, stringIndex: string,
      offset: pitch - 100 * Double(concert - Note.a4.midi))
  }

  /// The tonic in the octave from C4 to B4, by its MIDI number.
  private var tonicNote: Int { Note.c4.midi + tonic.pitchClass }

  /// Cents of the tonic above the reference.
  private var tonicPitch: Double {
    let steps = Note.a4.midi - tonicNote
    return temperament.isChromatic ? -temperament.cents(ofStep: steps) : -100 * Double(steps)
  }

  /// Cents above the reference, without stretch.
  private func plainPitch(ofStep step: Int) -> Double { tonicPitch + temperament.cents(ofStep: step) }

  /// The MIDI number of a step's note, or of the nearest note.
  private func concertNote(ofStep step: Int) -> Int {
    temperament.isChromatic ? tonicNote + step : Note.a4.midi + Int((plainPitch(ofStep: step) / 100).rounded())
  }

  private func step(ofConcert midi: Int) -> Int {
    guard !temperament.isChromatic else { return midi - tonicNote }
    return temperament.nearestStep(to: 100 * Double(midi - Note.a4.midi) - tonicPitch)
  }

  /// The position of a step on the keyboard, for the stretch: exactly a note's, where steps are notes, so that octaves match
  /// whatever the temperament.
  private func position(ofStep step: Int, _ plain: Double) -> Double {
    temperament.isChromatic ? Double(tonicNote + step) : Double(Note.a4.midi) + plain / 100
  }
}
