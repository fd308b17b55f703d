internal import Logging
internal import RustleCore

/// The native radio, which its owner and its driver share.
final class SharedNodeRadio: Sendable {
  let native: NativeNodeRadio

  init(_ configuration: NativeNodeRadioConfiguration, runtime: NativeRuntime?) throws(NodeError) {
    native = try NodeError.rethrowing { () throws(NativeError) in try NativeNodeRadio(configuration, runtime: runtime) }
  }

  /// What the program's radio is asked for.
  func requests() throws(NodeError) -> EngineStream<NativeNodeRequest> {
    try NodeError.rethrowing { () throws(NativeError) in
      try native.start(NativeNodeProgramRequest(capacity: 4_096), reader: ElementReader { $0 })
    }
  }
}

/// Gives what the native machine asks for to radios of the program's, and reports what comes of it.
///
/// It outlives its owner until every link is down.
actor NodeRadioDriver {
  private struct Client {
    let radio: any NodeRadio
    let listener: Task<Void, Never>
  }

  private let radio: SharedNodeRadio
  private let make: @Sendable () -> any NodeRadio
  /// The radios, by the numbers of what asks.
  private var clients: [Int: Client] = [:]
  private var reader: Task<Void, Never>?
  private var hasOwner = true

  init(
    _ radio: SharedNodeRadio, _ requests: EngineStream<NativeNodeRequest>,
    _ make: @escaping @Sendable () -> any NodeRadio
  ) {
    (self.radio, self.make) = (radio, make)
    Task { await self.read(requests) }
  }

  private func read(_ requests: EngineStream<NativeNodeRequest>) {
    reader = Task {
      for await element in requests {
        if let request = element.value { take(request) }
      }
    }
    endIfUnused()
  }

  /// The owner is gone: ends with the last client.
  nonisolated func release() {
    radio.native.shutDown()
    Task { await self.lose() }
  }

  private func lose() {
    hasOwner = false
    endIfUnused()
  }

  private func endIfUnused() { if !hasOwner && clients.isEmpty { reader?.cancel() } }

  func take(_ request: NativeNodeRequest) {
    if request.ask == .close {
      if let client = clients.removeValue(forKey: request.client) {
        client.listener.cancel()
        Task { await client.radio.close() }
      }
      return endIfUnused()
    }
    let client = clients[request.client] ?? join(request.client)
    Task { await perform(request, with: client.radio) }
  }

  private func join(_ number: Int) -> Client {
    let made = make()
    let listener = Task {
      for await event in made.events { report(event, to: number) }
    }
    let client = Client(radio: made, listener: listener)
    clients[number] = client
    return client
  }

  func perform(_ request: NativeNodeRequest, with made: any NodeRadio) async {
    var answer = Report(client: request.client, token: request.token, kind: .done)
    do throws(NodeRadioFailure) {
      let characteristic = NodeCharacteristic(rawValue: UInt8(clamping: request.characteristic))
      switch (request.ask, characteristic) {
      case (.scan, _): try await made.scan()
      case (.stopScan, _): try await made.stopScan()
      case (.connect, _): try await made.connect(to: request.id)
      case (.services, _):
        let found = try await made.characteristics()
        send(Report(client: request.client, kind: .found, bytes: found.map(\.rawValue)))
      case (.pair, _): try await made.pair()
      case (.read, let characteristic?):
        answer.bytes = try await made.read(characteristic)
        answer.kind = .value
      case (.write, let characteristic?): try await made.write(value(of: request), to: characteristic)
      case (.subscribe, _): try await made.subscribe()
      case (.unsubscribe, _): try await made.unsubscribe()
      case (.disconnect, _): try await made.disconnect()
      case (.read, nil), (.write, nil), (.close, _), (nil, _):
        throw NodeRadioFailure(.other, "a request that this version does not know")
      }
    } catch {
      answer.kind = .failed
      answer.failure = error
    }
    send(answer)
  }

  private func value(of request: NativeNodeRequest) throws(NodeRadioFailure) -> [UInt8] {
    do throws(NativeError) {
      return try radio.native.value(client: request.client, token: request.token)
    } catch {
      throw NodeRadioFailure(.other, error.message)
    }
  }

  private func report(_ event: NodeRadioEvent, to client: Int) {
    var report = Report(client: client, kind: .disconnected)
    switch event {
    case .seen(let id, let name, let rssi, let data):
      (report.kind, report.id, report.name, report.rssi, report.bytes) = (.seen, id, name, rssi, data)
    case .notified(let value): (report.kind, report.bytes) = (.notified, value)
    case .disconnected: break
    case .lost(let failure): (report.kind, report.failure) = (.lost, failure)
    }
    send(report)
  }

  /// What is reported to a client.
  private struct Report {
    var client: Int
    var token = 0
    var kind: NativeNodeEventKind
    var bytes: [UInt8] = []
    var id = ""
    var name = ""
    var rssi: Int?
    var failure: NodeRadioFailure?
  }

  private func send(_ report: Report) {
    let event = NativeNodeEvent(
      id: report.id, name: report.name, text: report.failure?.text ?? "", client: report.client, token: report.token,
      kind: report.kind, cause: report.failure?.cause ?? .other, rssi: report.rssi ?? nativeNodeNoSignal)
    do throws(NativeError) {
      try radio.native.report(event, bytes: report.bytes)
    } catch {
      // The step has a time limit.
      Logger(label: "rustle").error("a radio's report was refused: \(error.message)")
    }
  }
}
