#if NATS
internal import CNats
internal import Foundation
internal import RustleMarket

// Every call of libnats. Its objects are used by one actor each, which makes and destroys them; the library itself guards them
// against its own threads. Of its callbacks none is used: what they would report is asked for.

/// A call that libnats refused.
struct NATSFailure: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  fileprivate init(_ status: natsStatus) { description = unsafe String(cString: natsStatus_GetText(status)) }

  /// - Parameter code: the server's number of a JetStream error, 0 without one.
  fileprivate init(_ status: natsStatus, code: UInt32) {
    let text = unsafe nats_GetLastError(nil).map { unsafe String(cString: $0) } ?? ""
    description = text.isEmpty ? NATSFailure(status).description : text + (code == 0 ? "" : " (\(code))")
  }
}

private func check(_ status: natsStatus) throws(NATSFailure) {
  if status != NATS_OK { throw NATSFailure(status) }
}

/// A connection, which libnats re-establishes.
@safe final class NATSConnection {
  enum State: Hashable {
    case connected, reconnecting, closed
  }

  private var connection: OpaquePointer?
  private let statistics: OpaquePointer?

  /// Begins to connect, and returns before a connection is established if it is not at once.
  ///
  /// - Parameters:
  ///   - pingInterval: after two intervals without an answer the connection is lost.
  ///   - reconnectWait: the wait before an attempt, to which as much again is added at random.
  init(
    servers: [String], name: String, connectTimeout: Duration, pingInterval: Duration, reconnectWait: Duration
  ) throws(NATSFailure) {
    var options: OpaquePointer?
    try unsafe check(natsOptions_Create(&options))
    defer { unsafe natsOptions_Destroy(options) }
    try unsafe check(setServers(servers, of: options))
    try unsafe check(natsOptions_SetName(options, name))
    try unsafe check(natsOptions_SetTimeout(options, connectTimeout.milliseconds))
    try unsafe check(natsOptions_SetPingInterval(options, pingInterval.milliseconds))
    try unsafe check(natsOptions_SetMaxPingsOut(options, 1))
    // A server that no longer reads would stop the caller for ever.
    try unsafe check(natsOptions_SetWriteDeadline(options, 2 * pingInterval.milliseconds))
    try unsafe check(natsOptions_SetMaxReconnect(options, -1))
    try unsafe check(natsOptions_SetReconnectWait(options, reconnectWait.milliseconds))
    try unsafe check(
      natsOptions_SetReconnectJitter(options, reconnectWait.milliseconds, reconnectWait.milliseconds))
    // Without a callback the call would wait for the first connection.
    try unsafe check(natsOptions_SetRetryOnFailedConnect(options, true, { _, _ in }, nil))
    var statistics: OpaquePointer?
    try unsafe check(natsStatistics_Create(&statistics))
    unsafe self.statistics = statistics
    let status = unsafe natsConnection_Connect(&connection, options)
    if status != NATS_NOT_YET_CONNECTED { try check(status) }
  }

  deinit {
    // Returns once the connection's threads have ended.
    unsafe natsConnection_Destroy(connection)
    unsafe natsStatistics_Destroy(statistics)
    nats_ReleaseThreadMemory()
  }

  var state: State {
    switch unsafe natsConnection_Status(connection) {
    case NATS_CONN_STATUS_CONNECTED: .connected
    case NATS_CONN_STATUS_CLOSED: .closed
    default: .reconnecting
    }
  }

  /// The number of times that the connection was re-established.
  var reconnects: UInt64 {
    var count: UInt64 = 0
    unsafe natsConnection_GetStats(connection, statistics)
    unsafe natsStatistics_GetCounts(statistics, nil, nil, nil, nil, &count)
    return count
  }

  /// The reason of the last failure; empty where the library knows none.
  var lastFailure: String {
    var text: UnsafePointer<CChar>?
    let status = unsafe natsConnection_GetLastError(connection, &text)
    let words = unsafe text.map { unsafe String(cString: $0) } ?? ""
    return words.isEmpty && status != NATS_OK ? NATSFailure(status).description : words
  }

  /// A new subject for replies to this connection.
  func inbox() throws(NATSFailure) -> String {
    var inbox: UnsafeMutablePointer<CChar>?
    try unsafe check(natsInbox_Create(&inbox))
    defer { unsafe natsInbox_Destroy(inbox) }
    return unsafe inbox.map { unsafe String(cString: $0) } ?? ""
  }

  /// Publishes `payload`, which the library copies and sends by itself.
  ///
  /// - Parameters:
  ///   - id: the header `Nats-Msg-Id`.
  ///   - reply: the subject of the acknowledgement.
  func publish(_ payload: ArraySlice<UInt8>, to subject: String, id: String, reply: String?) throws(NATSFailure) {
    let status = unsafe payload.withUnsafeBytes { bytes in
      var message: OpaquePointer?
      var status = unsafe natsMsg_Create(
        &message, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
      if status == NATS_OK { status = unsafe natsMsgHeader_Set(message, "Nats-Msg-Id", id) }
      if status == NATS_OK { status = unsafe natsConnection_PublishMsg(connection, message) }
      unsafe natsMsg_Destroy(message)
      return status
    }
    try check(status)
  }

  /// Waits until the server has read everything that was published.
  func flush(within limit: Duration) throws(NATSFailure) {
    try unsafe check(natsConnection_FlushTimeout(connection, limit.milliseconds))
  }

  /// Subscribes to what is published from now on.
  ///
  /// - Parameter pending: the number of messages that wait; later ones are dropped.
  func subscription(to subject: String, pending: Int) throws(NATSFailure) -> NATSSubscription {
    var subscription: OpaquePointer?
    try unsafe check(natsConnection_SubscribeSync(&subscription, connection, subject))
    // Without a limit of bytes.
    unsafe natsSubscription_SetPendingLimits(subscription, Int32(clamping: pending), -1)
    return unsafe NATSSubscription(subscription)
  }

  /// Subscribes to a stream of JetStream in its order, from the given message on.
  func replay(of subject: String, from start: ReplayStart) throws(NATSFailure) -> NATSSubscription {
    try unsafe withJetStream { (stream, code) throws(NATSFailure) in
      var options = unsafe jsSubOptions()
      try unsafe check(jsSubOptions_Init(&options))
      unsafe options.Ordered = true
      switch start {
      case .first: unsafe options.Config.DeliverPolicy = js_DeliverAll
      case .lastPerSubject: unsafe options.Config.DeliverPolicy = js_DeliverLastPerSubject
      case .number(let number):
        unsafe options.Config.DeliverPolicy = js_DeliverByStartSequence
        unsafe options.Config.OptStartSeq = number
      case .time(let nanoseconds):
        unsafe options.Config.DeliverPolicy = js_DeliverByStartTime
        // The library reads 0 as none.
        unsafe options.Config.OptStartTime = max(1, nanoseconds)
      }
      var subscription: OpaquePointer?
      let status = unsafe js_SubscribeSync(&subscription, stream, subject, nil, &options, &code)
      if status != NATS_OK { throw NATSFailure(status, code: code.rawValue) }
      return unsafe NATSSubscription(subscription)
    }
  }

  enum ReplayStart: Hashable {
    case first, lastPerSubject
    /// From the message with this number of the stream.
    case number(UInt64)
    /// From this time on, in nanoseconds since 1970.
    case time(Int64)
  }

  /// Makes the stream of a subject unless there is one of its name, which is left as it is.
  func makeStream(
    named name: String, of subject: String, messagesPerSubject: Int, age: Duration, replicas: Int
  ) throws(NATSFailure) {
    try unsafe withJetStream { (stream, code) throws(NATSFailure) in
      var configuration = unsafe jsStreamConfig()
      try unsafe check(jsStreamConfig_Init(&configuration))
      let status = unsafe name.withCString { name in
        unsafe subject.withCString { subject in
          var subjects: UnsafePointer<CChar>? = unsafe subject
          return unsafe withUnsafeMutablePointer(to: &subjects) { subjects in
            unsafe configuration.Name = name
            unsafe configuration.Subjects = subjects
            unsafe configuration.SubjectsLen = 1
            unsafe configuration.MaxMsgsPerSubject = Int64(messagesPerSubject)
            unsafe configuration.MaxAge = age.wholeNanoseconds
            unsafe configuration.Replicas = Int64(replicas)
            return unsafe js_AddStream(nil, stream, &configuration, nil, &code)
          }
        }
      }
      if status != NATS_OK && code != JSStreamNameExistErr { throw NATSFailure(status, code: code.rawValue) }
    }
  }

  private func withJetStream<Result>(
    _ work: (_ stream: OpaquePointer?, _ code: inout jsErrCode) throws(NATSFailure) -> Result
  ) throws(NATSFailure) -> Result {
    var stream: OpaquePointer?
    var code = jsErrCode(0)
    try unsafe check(natsConnection_JetStream(&stream, connection, nil))
    defer { unsafe jsCtx_Destroy(stream) }
    return try unsafe work(stream, &code)
  }
}

/// Sets servers, whose texts the library copies.
private func setServers(_ servers: [String], of options: OpaquePointer?) -> natsStatus {
  var texts = unsafe servers.map { unsafe UnsafePointer<CChar>(strdup($0)) }
  defer { unsafe texts.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
  return unsafe natsOptions_SetServers(options, &texts, Int32(texts.count))
}

/// The messages of a subject, in the order of their arrival. It ends with the object.
@safe final class NATSSubscription {
  private let subscription: OpaquePointer?

  fileprivate init(_ subscription: OpaquePointer?) { unsafe self.subscription = subscription }

  deinit { unsafe natsSubscription_Destroy(subscription) }

  /// The reason why there is no message.
  enum Absence: Error {
    /// None came in time.
    case none
    /// Nobody receives what was published.
    case noResponders
    /// The subscription has to be made again.
    case ended
  }

  /// The number of messages that the queue dropped.
  var dropped: UInt64 {
    var count: Int64 = 0
    unsafe natsSubscription_GetDropped(subscription, &count)
    return UInt64(max(0, count))
  }

  /// Returns the next message, after waiting for at most this number of milliseconds.
  func next(within milliseconds: Int64) throws(Absence) -> NATSMessage {
    var message: OpaquePointer?
    switch unsafe natsSubscription_NextMsg(&message, subscription, milliseconds) {
    case NATS_OK: return unsafe NATSMessage(message)
    // The messages that a slow reader has lost are missing in the numbers; the queue goes on.
    case NATS_TIMEOUT, NATS_SLOW_CONSUMER: throw .none
    case NATS_NO_RESPONDERS: throw .noResponders
    default: throw .ended
    }
  }
}

/// A message that was received.
@safe struct NATSMessage: ~Copyable {
  private let message: OpaquePointer?

  fileprivate init(_ message: OpaquePointer?) { unsafe self.message = message }

  deinit { unsafe natsMsg_Destroy(message) }

  var subject: String { unsafe String(cString: natsMsg_GetSubject(message)) }

  /// The header `Nats-Msg-Id`.
  var id: String? {
    var value: UnsafePointer<CChar>?
    let status = unsafe natsMsgHeader_Get(message, "Nats-Msg-Id", &value)
    return unsafe status == NATS_OK ? value.map { unsafe String(cString: $0) } : nil
  }

  /// The message's number in its stream; 0 outside one.
  var number: UInt64 { unsafe natsMsg_GetSequence(message) }

  /// Appends the payload.
  func append(to bytes: inout [UInt8]) {
    let count = Int(unsafe natsMsg_GetDataLength(message))
    guard count > 0 else { return }
    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: count))
  }
}

extension Duration {
  /// Milliseconds, at least 1.
  fileprivate var milliseconds: Int64 { max(1, wholeNanoseconds / 1_000_000) }
}
#endif
