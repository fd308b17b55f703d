public import Observation
internal import RustleCore

/// The state of a voice analyzer for a view.
@MainActor
@Observable
public final class VoiceViewModel {
  /// The newest frame; when it does not run, the last one of the last run.
  public private(set) var frame: VoiceFrame?
  /// The newest frames in order, at most ``historyLimit`` of them.
  public private(set) var history: [VoiceFrame] = []
  /// The summary of all frames of the run, updated with every eighth frame and when the run ends; nil before the first eight.
  public private(set) var summary: VoiceSummary?
  /// Whether an analysis runs.
  public private(set) var isRunning = false
  /// The error that kept the last run from beginning, or ended it early; nil: none.
  public private(set) var error: (any Error)?
  /// The maximum number of analysis frames in ``history``, 1 or more.
  public let historyLimit: Int

  /// The frames from one summary to the next: computing it takes time in proportion to the range of pitch.
  private static let framesPerSum = 8

  @ObservationIgnored private var analyzer: VoiceAnalyzer?
  @ObservationIgnored private let runs = Runs()

  /// Creates a model that does not run.
  ///
  /// - Parameter historyLimit: the maximum number of analysis frames in ``history``; less than 1 counts as 1. 512 are six seconds
  ///   at 44,100 Hz and the default hop.
  public init(historyLimit: Int = 512) { self.historyLimit = max(1, historyLimit) }

  /// The pitch of the newest frame in Hz; nil where it is not voiced.
  public var pitch: Double? { frame.flatMap { $0.isVoiced ? $0.pitch : nil } }
  /// The message of ``error``; nil: none.
  public var errorText: String? { error.map { ($0 as? AudioError)?.message ?? "\($0)" } }

  /// Analyses an input, in place of the run before.
  ///
  /// - Parameters:
  ///   - input: sound of `format`; another format ends the run with an error.
  ///   - format: of 8000 to 192,000 Hz and any channels.
  ///   - channel: the measured channels.
  ///   - configuration: the measures and their parameters. A value out of its range is the run's ``error``.
  public func start(
    _ input: some AudioInput, format: AudioFormat, channel: ChannelSelection = .all,
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

  /// Ends the run and returns when its input has ended; its values stay.
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

  /// Updates the summary, unless there is none, or another run has begun meanwhile.
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
