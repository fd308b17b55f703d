public import Observation
internal import RustleCore

/// The state of a voice analyzer for a view.
@MainActor
@Observable
public final class VoiceViewModel {
  /// What was heard last; of the last sound when it does not run.
  public private(set) var frame: VoiceFrame?
  /// The newest frames, the latest last, at most ``historyLimit`` of them.
  public private(set) var history: [VoiceFrame] = []
  /// All frames of the run in sum, renewed with every eighth frame and when the run ends; nil before the first eight.
  public private(set) var summary: VoiceSummary?
  /// Whether it listens.
  public private(set) var isRunning = false
  /// Why the last run could not begin, or ended early; nil when it did not.
  public private(set) var error: (any Error)?
  /// The frames that ``history`` holds at most, 1 or more.
  public let historyLimit: Int

  /// The frames from one sum to the next: reading it takes time in proportion to the range of pitch.
  private static let framesPerSum = 8

  @ObservationIgnored private var analyzer: VoiceAnalyzer?
  @ObservationIgnored private let runs = Runs()

  /// A model that listens to nothing yet.
  ///
  /// - Parameter historyLimit: the frames that ``history`` holds at most; less than 1 counts as 1. At 44,100 Hz and the default
  ///   hop 512 are six seconds.
  public init(historyLimit: Int = 512) { self.historyLimit = max(1, historyLimit) }

  /// The pitch of the newest frame in Hz; nil where it is not voiced.
  public var pitch: Double? { frame.flatMap { $0.isVoiced ? $0.pitch : nil } }
  /// Why the last run could not begin, or ended early, in words; nil when it did not.
  public var errorText: String? { error.map { ($0 as? AudioError)?.message ?? "\($0)" } }

  /// Listens to an input, in place of what ran before.
  ///
  /// - Parameters:
  ///   - input: of `format`; of another one the run ends with an error.
  ///   - format: of 8000 to 192,000 Hz and any channels.
  ///   - channel: the one that is listened to, counted from 0; nil: the mean of all.
  ///   - configuration: what is measured. What is out of bounds is the run's ``error``.
  public func start(
    _ input: some AudioInput, format: AudioFormat, channel: Int? = nil,
    configuration: VoiceConfiguration = VoiceConfiguration()
  ) {
    let run = runs.overtake()
    (frame, history, summary, error, isRunning, analyzer) = (nil, [], nil, nil, true, nil)
    do {
      let analyzer = try VoiceAnalyzer(format: format, channel: channel, configuration: configuration)
      self.analyzer = analyzer
      runs.perform(run) { [weak self] in
        do {
          var count = 0
          for try await frame in try await analyzer.frames(of: input) {
            guard let self, run == self.runs.newest else { return }
            self.show(frame)
            count += 1
            if count.isMultiple(of: Self.framesPerSum) { await self.sum(analyzer, run) }
          }
          await self?.sum(analyzer, run)
          self?.ended(run, nil)
        } catch {
          await self?.sum(analyzer, run)
          self?.ended(run, error)
        }
      }
    } catch {
      ended(run, error)
    }
  }

  /// Ends the listening and returns when its input is left; what it showed stays.
  public func stop() async {
    let (run, analyzer) = (runs.overtake(), analyzer)
    (isRunning, self.analyzer) = (false, nil)
    await runs.finished()
    if let analyzer { await sum(analyzer, run) }
  }

  private func show(_ frame: VoiceFrame) {
    self.frame = frame
    if history.count == historyLimit { history.removeFirst() }
    history.append(frame)
  }

  /// Reads the sum, unless there is none, or something else runs by then.
  private func sum(_ analyzer: VoiceAnalyzer, _ run: Runs.Run) async {
    guard let sum = try? await analyzer.summary, run == runs.newest, sum.frames > 0 else { return }
    summary = sum
  }

  private func ended(_ run: Runs.Run, _ error: (any Error)?) {
    guard run == runs.newest else { return }
    isRunning = false
    analyzer = nil
    if !(error is CancellationError) { self.error = error }
  }
}
