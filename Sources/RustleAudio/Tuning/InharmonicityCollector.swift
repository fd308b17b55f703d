/// A collector of the inharmonicity B of played notes, for a ``StretchCurve``.
///
/// ```swift
/// var collector = InharmonicityCollector()
/// for frame in frames { collector.add(note: note, inharmonicity: frame.inharmonicity, confidence: frame.confidence) }
/// if let curve = try collector.curve() { tuning = tuning.with(stretch: curve) }
/// ```
///
/// Each note has the median of its last frames with enough confidence. Memory is of a fixed size.
public struct InharmonicityCollector: Sendable {
  /// The least confidence of a frame that counts.
  public static let minimumConfidence = 0.9
  /// The fewest frames of a note that counts.
  public static let minimumFrameCount = 8
  /// The most frames kept of a note; the oldest are dropped.
  public static let maximumFrameCount = 64

  private struct Ring {
    var values: [Double] = []
    var oldest = 0
  }

  private var rings: [Note: Ring] = [:]

  /// Creates a collector without frames.
  public init() {}

  /// Adds one frame.
  ///
  /// - Parameters:
  ///   - note: the sounding note.
  ///   - inharmonicity: B as measured, within ``StretchCurve/inharmonicityRange``; 0: the frame does not show it.
  ///   - confidence: of the frame, 0 to 1.
  /// - Returns: whether the frame was taken: false for a B of 0, and for a B or a confidence out of range.
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

  /// Discards all frames.
  public mutating func reset() { rings = [:] }

  /// The median of each note with enough frames, by ascending note.
  public var points: [StretchCurve.Point] {
    let enough = rings.filter { $0.value.values.count >= Self.minimumFrameCount }.sorted { $0.key < $1.key }
    return enough.prefix(StretchCurve.maximumPointCount).compactMap { note, ring in
      ring.values.median.map { StretchCurve.Point(note: note, inharmonicity: $0) }
    }
  }

  /// Returns the curve through ``points``; nil without points.
  ///
  /// - Parameter octave: which partials are to agree.
  /// - Throws: ``AudioError`` as ``StretchCurve/init(points:octave:)``.
  public func curve(octave: StretchCurve.Octave = .fourToTwo) throws(AudioError) -> StretchCurve? {
    let points = points
    return points.isEmpty ? nil : try StretchCurve(points: points, octave: octave)
  }
}
