#if NATS
internal import CNats
internal import Dispatch
internal import Foundation
internal import RustleCore
internal import RustleMarket

// Every call of libnats. Its objects are used by one actor each, which makes and destroys them; the library itself guards them
// against its own threads, subscriptions excepted: see NATSConnection.end. Of its callbacks one is used, ReconnectRounds: what the others
// would report is asked for.

/// A call that libnats refused.
struct NATSFailure: Error, Hashable, CustomStringConvertible {
  let description: String
  /// Whether it is an answer of JetStream.
  private(set) var isAnswer = false

  init(_ description: String) { self.description = description }

  /// The subject that a refusal of the server names in quotation marks; nil: none.
  var subject: Substring? {
    let parts = description.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.count > 2 ? parts[1] : nil
  }

  fileprivate init(_ status: natsStatus) { description = unsafe String(cString: natsStatus_GetText(status)) }

  /// - Parameter code: the server's number of a JetStream error, 0 without one.
  fileprivate init(_ status: natsStatus, code: UInt32) {
    let text = unsafe nats_GetLastError(nil).map { unsafe String(cString: $0) } ?? ""
    description = text.isEmpty ? NATSFailure(status).description : text + (code == 0 ? "" : " (\(code))")
    isAnswer = code != 0
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
  /// Subscriptions that have ended and are not yet destroyed.
  private var ended: [OpaquePointer?] = unsafe []
  /// Published messages that are not yet destroyed. libnats hands each to a thread of its own, which is woken for it where it waits: for
  /// each single one that would take longer than all the rest.
  private var published: [OpaquePointer?] = unsafe []
  private static let publishedLimit = 256
  private let rounds: ReconnectRounds
  /// Whether nobody waits for the connection's end.
  private var isLeft = false
  /// How long the end of a connection is waited for, which takes longer where a server is being asked that does not answer.
  private static let endPatience = DispatchTimeInterval.seconds(2)
  /// How long libnats waits for an answer of JetStream.
  static let defaultPatience = Duration.seconds(5)
  /// Of the interval of pings: the rest is the time until a state is asked for.
  private static let pingShare = 0.8
  /// The name of libnats' threads, which those have from the thread that makes them, or from one of them.
  static let threadName = "rustle-nats"

  /// Begins to connect, and returns before a connection is established if it is not at once.
  ///
  /// - Parameters:
  ///   - pingInterval: within two intervals without an answer the connection is lost. Who looks four times a second sees that within them
  ///     too, if an interval has 1.25 s or more.
  ///   - reconnectWait: the wait before an attempt, to which as much again is added at random.
  ///   - onRound: see ``ReconnectRounds``.
  init(
    to address: NATSAddress, connectTimeout: Duration, pingInterval: Duration, reconnectWait: Duration,
    onRound: @escaping @Sendable () -> Void = {}
  ) throws(NATSFailure) {
    rounds = ReconnectRounds(wait: reconnectWait, onRound: onRound)
    var options: OpaquePointer?
    // The first of these calls begins the library's three threads for all connections, which stay.
    try check(ThreadName.with(Self.threadName) { unsafe natsOptions_Create(&options) })
    defer { unsafe natsOptions_Destroy(options) }
    try unsafe check(setServers(address.servers, of: options))
    if address.isEncrypted {
      try unsafe check(natsOptions_SetSecure(options, true))
      if let roots = address.roots {
        let status = unsafe natsOptions_LoadCATrustedCertificates(options, roots)
        if status != NATS_OK { throw NATSFailure("\(roots): \(NATSFailure(status, code: 0))") }
      }
    }
    switch address.credentials {
    case nil: break
    case .token(let token): try unsafe check(natsOptions_SetToken(options, token))
    case .user(let name, let password): try unsafe check(natsOptions_SetUserInfo(options, name, password))
    case .file(let path): try unsafe check(natsOptions_SetUserCredentialsFromFiles(options, path, nil))
    }
    try unsafe check(natsOptions_SetName(options, "rustle"))
    try unsafe check(natsOptions_SetTimeout(options, connectTimeout.milliseconds))
    try unsafe check(natsOptions_SetPingInterval(options, (pingInterval * Self.pingShare).milliseconds))
    try unsafe check(natsOptions_SetMaxPingsOut(options, 1))
    // A server that no longer reads would stop the caller for ever, and the pings too. By default a server reads nothing for up to 10 s while
    // it waits for a consumer that has stopped.
    try unsafe check(natsOptions_SetWriteDeadline(options, pingInterval.milliseconds))
    try unsafe check(natsOptions_SetMaxReconnect(options, -1))
    // The object outlives the connection: see `deinit`.
    let rounds = unsafe Unmanaged.passUnretained(rounds).toOpaque()
    try unsafe check(
      natsOptions_SetCustomReconnectDelay(
        options,
        { _, _, rounds in
          guard let rounds = unsafe rounds else { return 1 }
          return unsafe Unmanaged<ReconnectRounds>.fromOpaque(rounds).takeUnretainedValue().begin().milliseconds
        }, rounds))
    // Without a callback the call would wait for the first connection.
    try unsafe check(natsOptions_SetRetryOnFailedConnect(options, true, { _, _ in }, nil))
    var statistics: OpaquePointer?
    try unsafe check(natsStatistics_Create(&statistics))
    unsafe self.statistics = statistics
    let status = ThreadName.with(Self.threadName) { unsafe natsConnection_Connect(&connection, options) }
    if status != NATS_NOT_YET_CONNECTED { try check(status) }
  }

  deinit {
    destroyPublished()
    let ended = unsafe ended.map { UInt(bitPattern: $0) }
    let (connection, statistics) = unsafe (UInt(bitPattern: connection), UInt(bitPattern: statistics))
    let hasEnded = DispatchSemaphore(value: 0)
    // On a thread of its own: it returns once the connection's threads have ended.
    DispatchQueue(label: "rustle.nats.end").async { [rounds] in
      let connection = unsafe OpaquePointer(bitPattern: connection)
      unsafe natsConnection_Close(connection)
      for subscription in ended { unsafe natsSubscription_Destroy(OpaquePointer(bitPattern: subscription)) }
      unsafe natsConnection_Destroy(connection)
      unsafe natsStatistics_Destroy(OpaquePointer(bitPattern: statistics))
      nats_ReleaseThreadMemory()
      withExtendedLifetime(rounds) {}
      hasEnded.signal()
    }
    if !isLeft { _ = hasEnded.wait(timeout: .now() + Self.endPatience) }
    nats_ReleaseThreadMemory()
  }

  /// Leaves the connection, which libnats no longer makes again: nobody waits for its end.
  ///
  /// libnats 3.4.1 can stop for good where a connection is lost as it begins (about one of a hundred that are reset then): the thread that
  /// is to make it again waits for the end of the thread that sends, but has woken another one, of a connection before. Its close waits for
  /// the first of these threads, and no call wakes the second. What stays then until the process ends: the connection with its
  /// subscriptions and what they hold, and three threads with the one that closes it. A connection that is left too early ends.
  func leave() { isLeft = true }

  /// What libnats has done to make the connection, or to make it again: it grows while that goes on.
  var attempts: UInt64 { rounds.count &+ reconnects }

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
    if status == NATS_NO_SERVER { return "" }
    return words.isEmpty && status != NATS_OK ? NATSFailure(status).description : words
  }

  /// The permission that the server has refused; nil: none since the connection was established.
  var refusal: NATSFailure? {
    var text: UnsafePointer<CChar>?
    guard unsafe natsConnection_GetLastError(connection, &text) == NATS_NOT_PERMITTED else { return nil }
    return unsafe NATSFailure(text.map { unsafe String(cString: $0) } ?? NATSFailure(NATS_NOT_PERMITTED).description)
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
  ///   - id: the header `Nats-Msg-Id`, which a zero ends.
  ///   - reply: the subject of the acknowledgement.
  ///   - last: the header `Nats-Msg-Id` of the stream's last message, without which the stream refuses this one.
  func publish(
    _ payload: ArraySlice<UInt8>, to subject: String, id: [UInt8], reply: String?, behind last: [UInt8]? = nil
  ) throws(NATSFailure) {
    let status = unsafe payload.withUnsafeBytes { bytes in
      var message: OpaquePointer?
      var status = unsafe natsMsg_Create(
        &message, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
      if status == NATS_OK {
        status = unsafe setHeader("Nats-Msg-Id", of: message, to: id)
      }
      if status == NATS_OK, let last {
        status = unsafe setHeader("Nats-Expected-Last-Msg-Id", of: message, to: last)
      }
      if status == NATS_OK { status = unsafe natsConnection_PublishMsg(connection, message) }
      unsafe published.append(message)
      return status
    }
    if unsafe published.count == Self.publishedLimit { destroyPublished() }
    try check(status)
  }

  private func destroyPublished() {
    unsafe published.forEach { unsafe natsMsg_Destroy($0) }
    unsafe published.removeAll(keepingCapacity: true)
  }

  /// Publishes a message without content: the answer to a consumer's flow control.
  func answer(_ subject: String) throws(NATSFailure) {
    try unsafe check(natsConnection_PublishString(connection, subject, ""))
  }

  /// Waits until the server has read everything that was published.
  ///
  /// libnats 3.4.1 asks the server, and takes a question that it could not write for one that was answered. That it could not is then the
  /// last failure of this thread, of which it keeps the first one.
  func flush(within limit: Duration) throws(NATSFailure) {
    let count = unsafe ended.count
    nats_ReleaseThreadMemory()
    try unsafe check(natsConnection_FlushTimeout(connection, limit.milliseconds))
    var failure = NATS_OK
    unsafe nats_GetLastError(&failure)
    try check(failure)
    // The reading thread has read the answer, and is past the messages of these.
    destroyEnded(count)
  }

  /// Ends a subscription. It is destroyed later: libnats 3.4.1 reads a subscription that is destroyed while one of its messages arrives
  /// (nats-io/nats.c#637).
  fileprivate func end(_ subscription: OpaquePointer?) {
    unsafe natsSubscription_Unsubscribe(subscription)
    unsafe ended.append(subscription)
  }

  private func destroyEnded(_ count: Int) {
    unsafe ended.prefix(count).forEach { unsafe natsSubscription_Destroy($0) }
    unsafe ended.removeFirst(count)
  }

  /// Subscribes to what is published from now on.
  ///
  /// - Parameter pending: the number of messages that wait; later ones are dropped. nil: all wait.
  func subscription(to subject: String, pending: Int?) throws(NATSFailure) -> NATSSubscription {
    var subscription: OpaquePointer?
    try unsafe check(natsConnection_SubscribeSync(&subscription, connection, subject))
    // Without a limit of bytes.
    unsafe natsSubscription_SetPendingLimits(subscription, Int32(clamping: pending ?? -1), -1)
    return unsafe NATSSubscription(subscription, of: self)
  }

  /// Subscribes to a stream of JetStream, from the given message on: a consumer of the server's sends its messages in order, as fast as
  /// its flow control is answered, and reports at least each `heartbeat`. Whether one is missing, its reader sees by
  /// ``NATSMessage/place``: libnats' own ordered consumers are made anew by threads that outlive a connection.
  ///
  /// - Parameter patience: how long each of two answers is waited for.
  func replay(
    of subject: String, from start: ReplayStart, heartbeat: Duration, patience: Duration = defaultPatience
  ) throws(NATSFailure) -> NATSSubscription {
    let (stream, inbox) = (try stream(of: subject, patience: patience), try inbox())
    // Flow control limits what waits.
    let messages = try subscription(to: inbox, pending: nil)
    try unsafe withJetStream(patience: patience) { (context, code) throws(NATSFailure) in
      var configuration = unsafe jsConsumerConfig()
      try unsafe check(jsConsumerConfig_Init(&configuration))
      switch start {
      case .first: unsafe configuration.DeliverPolicy = js_DeliverAll
      case .lastPerSubject: unsafe configuration.DeliverPolicy = js_DeliverLastPerSubject
      case .number(let number):
        unsafe configuration.DeliverPolicy = js_DeliverByStartSequence
        unsafe configuration.OptStartSeq = number
      case .time(let nanoseconds):
        unsafe configuration.DeliverPolicy = js_DeliverByStartTime
        // The library reads 0 as none.
        unsafe configuration.OptStartTime = max(1, nanoseconds)
      }
      unsafe configuration.AckPolicy = js_AckNone
      unsafe configuration.MaxDeliver = 1
      unsafe configuration.FlowControl = true
      unsafe configuration.Heartbeat = heartbeat.wholeNanoseconds
      unsafe configuration.MemoryStorage = true
      let status = unsafe subject.withCString { subject in
        unsafe inbox.withCString { inbox in
          unsafe configuration.FilterSubject = subject
          unsafe configuration.DeliverSubject = inbox
          return unsafe js_AddConsumer(nil, context, stream, &configuration, nil, &code)
        }
      }
      if status != NATS_OK { throw NATSFailure(status, code: code.rawValue) }
    }
    return messages
  }

  enum ReplayStart: Hashable {
    case first, lastPerSubject
    /// From the message with this number of the stream.
    case number(UInt64)
    /// From this time on, in nanoseconds since 1970.
    case time(Int64)
  }

  /// Returns the answer to a request.
  ///
  /// - Parameter patience: how long it is waited for; by default as long as libnats waits for those of JetStream.
  func request(
    _ subject: String, _ body: String = "", patience: Duration = defaultPatience
  ) throws(NATSFailure) -> [UInt8] {
    var reply: OpaquePointer?
    try unsafe check(natsConnection_RequestString(&reply, connection, subject, body, patience.milliseconds))
    let message = unsafe NATSMessage(reply)
    var text: [UInt8] = []
    message.append(to: &text)
    return text
  }

  enum StreamFound: Hashable {
    case made
    /// There is one of its name, which is left as it is, with these settings; nil: the server does not say.
    case exists(StreamSettings?)
  }

  /// Makes a stream.
  ///
  /// - Parameter patience: how long each of two answers is waited for.
  func makeStream(
    named name: String, _ settings: StreamSettings, patience: Duration = defaultPatience
  ) throws(NATSFailure) -> StreamFound {
    var exists = false
    try unsafe withJetStream(patience: patience) { (stream, code) throws(NATSFailure) in
      var configuration = unsafe jsStreamConfig()
      try unsafe check(jsStreamConfig_Init(&configuration))
      let status = unsafe name.withCString { name in
        unsafe settings.subject.withCString { subject in
          var subjects: UnsafePointer<CChar>? = unsafe subject
          return unsafe withUnsafeMutablePointer(to: &subjects) { subjects in
            unsafe configuration.Name = name
            unsafe configuration.Subjects = subjects
            unsafe configuration.SubjectsLen = 1
            unsafe configuration.MaxMsgsPerSubject = Int64(settings.messagesPerSubject)
            unsafe configuration.MaxAge = settings.age.wholeNanoseconds
            unsafe configuration.Replicas = Int64(settings.replicas)
            return unsafe js_AddStream(nil, stream, &configuration, nil, &code)
          }
        }
      }
      exists = status != NATS_OK && code == JSStreamNameExistErr
      if status != NATS_OK && !exists { throw NATSFailure(status, code: code.rawValue) }
    }
    // Who may make a stream need not be permitted to ask for its settings.
    return exists ? .exists(try? self.settings(ofStream: name, patience: patience)) : .made
  }

  /// Opens a bucket of key-value, which is made unless there is one.
  ///
  /// - Parameter patience: how long an answer is waited for.
  func bucket(
    named name: String, timeToLive: Duration, replicas: Int, patience: Duration
  ) throws(NATSFailure) -> NATSBucket {
    let stream = try unsafe jetStream(patience)
    var store: OpaquePointer?
    var status = unsafe js_KeyValue(&store, stream, name)
    if status == NATS_NOT_FOUND {
      var configuration = unsafe kvConfig()
      unsafe kvConfig_Init(&configuration)
      unsafe configuration.TTL = timeToLive.wholeNanoseconds
      unsafe configuration.Replicas = Int32(replicas)
      status = unsafe name.withCString { name in
        unsafe configuration.Bucket = unsafe name
        return unsafe js_CreateKeyValue(&store, stream, &configuration)
      }
      // Another process may have made it.
      if status != NATS_OK, unsafe js_KeyValue(&store, stream, name) == NATS_OK { status = NATS_OK }
    }
    if status != NATS_OK {
      unsafe jsCtx_Destroy(stream)
      if status == NATS_NO_RESPONDERS { throw NATSFailure("the server has no JetStream") }
      throw NATSFailure(status, code: 0)
    }
    return try unsafe NATSBucket(store, stream, of: self, named: name)
  }

  /// A context, which is to be destroyed.
  private func jetStream(_ patience: Duration) throws(NATSFailure) -> OpaquePointer? {
    var options = unsafe jsOptions()
    try unsafe check(jsOptions_Init(&options))
    unsafe options.Wait = patience.milliseconds
    var stream: OpaquePointer?
    try unsafe check(natsConnection_JetStream(&stream, connection, &options))
    return unsafe stream
  }

  private func withJetStream<Result>(
    patience: Duration, _ work: (_ stream: OpaquePointer?, _ code: inout jsErrCode) throws(NATSFailure) -> Result
  ) throws(NATSFailure) -> Result {
    var code = jsErrCode(0)
    let stream = try unsafe jetStream(patience)
    defer { unsafe jsCtx_Destroy(stream) }
    return try unsafe work(stream, &code)
  }
}

/// - Parameter value: a zero ends it.
private func setHeader(_ name: String, of message: OpaquePointer?, to value: [UInt8]) -> natsStatus {
  unsafe value.withUnsafeBytes { value in
    unsafe natsMsgHeader_Set(message, name, value.baseAddress?.assumingMemoryBound(to: CChar.self))
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
  private let connection: NATSConnection
  private var dropped: Int64 = 0

  fileprivate init(_ subscription: OpaquePointer?, of connection: NATSConnection) {
    unsafe self.subscription = subscription
    self.connection = connection
  }

  deinit { unsafe connection.end(subscription) }

  /// The reason why there is no message.
  enum Absence: Error {
    /// None came in time.
    case none
    /// Nobody receives what was published.
    case noResponders
    /// The subscription has to be made again.
    case ended
  }

  /// The number of messages that the queue has dropped since the last call.
  func newlyDropped() -> UInt64 {
    var count: Int64 = 0
    unsafe natsSubscription_GetDropped(subscription, &count)
    defer { dropped = max(count, dropped) }
    return UInt64(max(0, count - dropped))
  }

  /// The number of messages that wait.
  var pending: Int {
    var count: Int32 = 0
    unsafe natsSubscription_GetPending(subscription, &count, nil)
    return Int(count)
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

/// A bucket of key-value.
@safe final class NATSBucket {
  private let store: OpaquePointer?
  private let stream: OpaquePointer?
  /// Ends after the bucket.
  private let connection: NATSConnection
  let timeToLive: Duration

  /// - Throws: its records stay for ever.
  fileprivate init(
    _ store: OpaquePointer?, _ stream: OpaquePointer?, of connection: NATSConnection, named name: String
  ) throws(NATSFailure) {
    unsafe (self.store, self.stream) = unsafe (store, stream)
    self.connection = connection
    var status: OpaquePointer?
    let answer = unsafe kvStore_Status(&status, store)
    timeToLive = unsafe .nanoseconds(status == nil ? 0 : kvStatus_TTL(status))
    unsafe kvStatus_Destroy(status)
    try check(answer)
    if timeToLive <= .zero { throw NATSFailure("bucket \(name): expected one with a time to live, got none") }
  }

  deinit {
    unsafe kvStore_Destroy(store)
    unsafe jsCtx_Destroy(stream)
  }

  /// Reads a record; nil: there is none.
  func record(of key: String) throws(NATSFailure) -> LeaseRecord? {
    var entry: OpaquePointer?
    let status = unsafe kvStore_Get(&entry, store, key)
    defer { unsafe kvEntry_Destroy(entry) }
    if status == NATS_NOT_FOUND { return nil }
    if status != NATS_OK { throw NATSFailure(status, code: 0) }
    let bytes = unsafe UnsafeRawBufferPointer(start: kvEntry_Value(entry), count: Int(kvEntry_ValueLen(entry)))
    return unsafe LeaseRecord(String(decoding: bytes, as: UTF8.self), revision: kvEntry_Revision(entry))
  }

  /// Writes a record in place of a revision, 0 for none.
  func write(_ text: String, to key: String, replacing last: UInt64) throws(NATSFailure) -> UInt64 {
    var revision: UInt64 = 0
    let status =
      last == 0
      ? unsafe kvStore_CreateString(&revision, store, key, text)
      : unsafe kvStore_UpdateString(&revision, store, key, text, last)
    // Of the server's answer the library keeps nothing.
    if status == NATS_ERR { throw NATSFailure("the server refuses the record") }
    if status != NATS_OK { throw NATSFailure(status, code: 0) }
    return revision
  }
}

/// A message that was received.
@safe struct NATSMessage: ~Copyable {
  private let message: OpaquePointer?

  fileprivate init(_ message: OpaquePointer?) { unsafe self.message = message }

  deinit { unsafe natsMsg_Destroy(message) }

  /// The number after the subject's last dot.
  var subjectNumber: UInt64? {
    guard let subject = unsafe natsMsg_GetSubject(message) else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(start: subject, count: strlen(subject))
    return unsafe bytes.lastIndex(of: UInt8(ascii: ".")).flatMap { unsafe UInt64(digits: bytes[($0 + 1)...]) }
  }

  /// Replaces `bytes` by the header `Nats-Msg-Id`; false: there is none.
  func readID(into bytes: inout [UInt8]) -> Bool {
    var value: UnsafePointer<CChar>?
    guard unsafe natsMsgHeader_Get(message, "Nats-Msg-Id", &value) == NATS_OK, let value = unsafe value else {
      return false
    }
    bytes.removeAll(keepingCapacity: true)
    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: value, count: strlen(value)))
    return true
  }

  /// The message's place in a stream; nil outside one.
  var place: StreamPlace? {
    guard let reply = unsafe natsMsg_GetReply(message) else { return nil }
    return unsafe StreamPlace(UnsafeRawBufferPointer(start: reply, count: strlen(reply)))
  }

  /// What a consumer says of itself; nil: the message is one of its stream.
  var report: ConsumerReport? {
    guard unsafe natsMsg_GetDataLength(message) == 0, header("Status") == "100" else { return nil }
    let reply = unsafe natsMsg_GetReply(message).map { unsafe String(cString: $0) }
    return ConsumerReport(
      sent: header("Nats-Last-Consumer").flatMap { UInt64($0) }, answer: reply ?? header("Nats-Consumer-Stalled"))
  }

  private func header(_ name: String) -> String? {
    var value: UnsafePointer<CChar>?
    let status = unsafe natsMsgHeader_Get(message, name, &value)
    return unsafe status == NATS_OK ? value.map { unsafe String(cString: $0) } : nil
  }

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
