/// Collects the inharmonicity B of the notes that are played, and makes a ``StretchCurve`` of it.
///
/// ```swift
/// var collector = InharmonicityCollector()
/// for frame in frames { collector.add(note: note, inharmonicity: frame.inharmonicity, confidence: frame.confidence) }
/// if let curve = try collector.curve() { tuning = tuning.with(stretch: curve) }
/// ```
///
/// Of each note the median counts of its last frames that were sure enough. Memory is of a fixed size.
public struct InharmonicityCollector: Sendable {
  /// Frames of a smaller confidence do not count.
  public static let minimumConfidence = 0.9
  /// The fewest frames of a note that counts.
  public static let minimumFrameCount = 8
  /// The most frames of a note that are kept; the oldest give way.
  public static let maximumFrameCount = 64

  private struct Ring {
    var values: [Double] = []
    var oldest = 0
  }

  private var rings: [Note: Ring] = [:]

  /// A collector that knows nothing yet.
  public init() {}

  /// Takes one frame.
  ///
  /// - Parameters:
  ///   - note: what sounds.
  ///   - inharmonicity: B as measured, within ``StretchCurve/inharmonicityRange``; 0 is a frame that does not show it.
  ///   - confidence: of the frame, 0 to 1.
  /// - Returns: whether it was taken: not when B is 0, and when it or the confidence is out of range.
  @discardableResult
  public mutating func add(note: Note, inharmonicity: Double, confidence: Double) -> Bool {
    guard (Self.minimumConfidence...1).contains(confidence), inharmonicity > 0,
      StretchCurve.inharmonicityRange.contains(inharmonicity)
    else {
      return false
    }
    var ring = rings[note] ?? Ring()
    if ring.values.count < Self.maximumFrameCount {
      ring.values.append(inharmonicity)
    } else {
      ring.values[ring.oldest] = inharmonicity
      ring.oldest = (ring.oldest + 1) % Self.maximumFrameCount
    }
    rings[note] = ring
    return true
  }

  /// Forgets everything.
  public mutating func reset() { rings = [:] }

  /// The median of each note of which there are enough frames, by ascending note.
  public var points: [StretchCurve.Point] {
    let enough = rings.filter { $0.value.values.count >= Self.minimumFrameCount }.sorted { $0.key < $1.key }
    return enough.prefix(StretchCurve.maximumPointCount).compactMap { note, ring in
      ring.values.median.map { StretchCurve.Point(note: note, inharmonicity: $0) }
    }
  }

  /// The curve through ``points``; nil when there is none.
  ///
  /// - Parameter octave: which partials are to agree.
  /// - Throws: ``AudioError`` as ``StretchCurve/init(points:octave:)``.
  public func curve(octave: StretchCurve.Octave = .fourToTwo) throws(AudioError) -> StretchCurve? {
    let points = points
    return points.isEmpty ? nil : try StretchCurve(points: points, octave: octave)
  }
}
