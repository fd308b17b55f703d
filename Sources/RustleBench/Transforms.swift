import RustleAudio
import RustleCore

/// The overhead of the Swift interface over the native transform, as a table in Markdown.
enum Transforms {
  static func run() async throws {
    print("### Magnitudes of one frame: the native function, and through Swift\n")
    var rows: [[String]] = []
    for size in [256, 512, 1_024, 2_048, 4_096, 8_192] { rows.append(try await row(FFT(size: size))) }
    printTable(["samples", "native ns", "`magnitudes(of:into:)` ns", "adds"], rows)
    print("\n### One spectrum by itself: `compute_fft_rust`, which keeps its plans, and a plan for each call\n")
    rows = []
    for size in [256, 2_048, 8_192] { rows.append(try await single(size)) }
    printTable(["samples", "`compute_fft_rust` ns", "a plan for each call ns", "ratio"], rows)
  }

  private static func single(_ size: Int) async throws -> [String] {
    let count = max(100, 1_000_000 / size)
    let input = [Float](repeating: 0.5, count: size)
    var best = [Double.infinity, .infinity]
    for _ in 0..<20 {
      let kept = try Cost.of {
        for _ in 0..<count {
          keep(Double(try NativeSpectrum.compute(of: input.span, size: size, window: .hann)?[1] ?? 0))
        }
        return UInt64(count)
      }
      let made = try Cost.of {
        for _ in 0..<count { keep(Double(try FFT(size: size).magnitudes(of: input)[1])) }
        return UInt64(count)
      }
      best = zip(best, [kept, made]).map { min($0, $1.wallNanosecondsEach) }
    }
    return [grouped(UInt64(size)), figure(best[0]), figure(best[1]), figure(best[1] / best[0])]
  }

  /// Both with the same memory: from 4,096 samples on, its address matters more than the interface.
  private static func row(_ fft: FFT) async throws -> [String] {
    let count = max(500, 5_000_000 / fft.size / 2)
    let input = [Float](repeating: 0.5, count: fft.size)
    var magnitudes = [Float](repeating: 0, count: fft.size / 2)
    var best = [Double.infinity, .infinity]
    for _ in 0..<60 {
      let native = Cost.of {
        FFTExercise.magnitudes(fft.plan, of: input, into: &magnitudes, count: count)
        return UInt64(count)
      }
      let swift = try Cost.of {
        for _ in 0..<count {
          var output = magnitudes.mutableSpan
          try fft.magnitudes(of: input.span, into: &output)
        }
        return UInt64(count)
      }
      best = zip(best, [native, swift]).map { min($0, $1.wallNanosecondsEach) }
    }
    keep(Double(magnitudes[0]))
    return [grouped(UInt64(fft.size)), figure(best[0]), figure(best[1]), figure(best[1] - best[0])]
  }
}
