import Rustle

@testable import RustleCore

/// The echo, the example of docs/adding-an-engine.md, as an actor.
actor Echo: NativeStreamEngine {
  private let echo: NativeEcho
  /// The streams that it has returned.
  let streams = EngineStreams()

  init(_ configuration: NativeEchoConfiguration) throws(NativeError) { echo = try NativeEcho(configuration) }

  /// Says a number, and streams it.
  func values(of number: UInt64, buffering: StreamBuffering = .perValue()) throws(NativeError) -> EngineStream<
    NativeEchoValue
  > {
    try NativeCalls.echoSay(echo.handle.raw, number: number)
    let stream = try echo.start(buffering: buffering, reader: ElementReader { $0 }, sequenceNumber: \.sequence)
    streams.add(stream)
    return stream
  }

  /// Makes the native side refuse new streams and end the running ones, without waiting for their end.
  func refuseStreams() { echo.shutDown() }

  /// Without a suspension between the two: both are done by one thread.
  fileprivate func panicking(buffering: StreamBuffering) throws -> EngineStream<NativeEchoValue> {
    _ = try AudioCapture(.panic())
    return try values(of: 0, buffering: buffering)
  }
}

/// The echo, as the suites of the contract drive it: the letters of a mark are the number that is said.
nonisolated struct ConformingEcho: ConformingEngine {
  let name: String

  func controller(valuesPerSecond: Double, limit: UInt64?) throws -> Echo {
    try Echo(
      NativeEchoConfiguration(valuesPerSecond: valuesPerSecond, number: 0, delayNanoseconds: 0, valueLimit: limit ?? 0))
  }

  func start(_ controller: Echo, mark: String, buffering: StreamBuffering) async throws -> EngineStream<NativeEchoValue>
  {
    try await controller.values(of: mark.utf8.reduce(0) { $0 << 8 | UInt64($1) }, buffering: buffering)
  }

  func startPanicking(_ controller: Echo, buffering: StreamBuffering) async throws -> EngineStream<NativeEchoValue> {
    try await controller.panicking(buffering: buffering)
  }

  func saysPoisoned(_ error: any Error) -> Bool { (error as? NativeError)?.status == .poisoned }

  func mark(of value: NativeEchoValue) -> String {
    let letters = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value.number >> $0) }
    return String(decoding: letters.drop { $0 == 0 }, as: UTF8.self)
  }

  func sequence(of value: NativeEchoValue) -> UInt64 { value.sequence }
}
