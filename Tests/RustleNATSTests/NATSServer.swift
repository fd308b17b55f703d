#if NATS
import Foundation
import RustleNATS
import TestSupport
import Testing

/// A `nats-server` of a test, with a store of its own, on the loopback device.
final class NATSServer {
  private let folder: ScratchFolder
  private var process = Process()
  private var options: [String]
  private let hasStore: Bool
  private(set) var url = ""
  /// Where it says what it does, with the options `-m -1`.
  private(set) var monitor = ""

  /// - Throws: there is no `nats-server`: scripts/bootstrap installs it.
  convenience init(_ options: String...) throws { try self.init(options: options) }

  init(options: [String], hasStore: Bool = true) throws {
    (self.options, self.hasStore) = (options, hasStore)
    folder = try ScratchFolder()
    // A free port, which the server logs.
    let log = try start(on: -1)
    url = "nats://\(log.firstMatch(of: /client connections on (\S+)/)?.1 ?? "")"
  }

  deinit { kill() }

  func address(_ prefix: String = "prices") -> NATSAddress { NATSAddress(servers: [url], prefix: prefix) }

  /// Returns its log, up to the line that says that it is ready.
  @discardableResult
  private func start(on port: Int) throws -> String {
    let log = Pipe()
    process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["nats-server", "-a", "127.0.0.1", "-p", "\(port)"] + options
    if hasStore { process.arguments? += ["-js", "-sd", folder.url.path] }
    process.environment = ["PATH": (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = log
    try process.run()
    var text = ""
    while !text.contains("Server is ready") {
      let data = log.fileHandleForReading.availableData
      if data.isEmpty { throw NotReady(log: text) }
      text += String(decoding: data, as: UTF8.self)
    }
    monitor = text.firstMatch(of: /monitor on (\S+)/).map { "http://\($0.1)" } ?? ""
    return text
  }

  /// The subjects to which a connection has subscribed; nil: none.
  struct Client: Decodable {
    let subscriptionsList: [String]?
  }

  /// The connections, as the server says.
  func clients() throws -> [Client] {
    struct Clients: Decodable { let connections: [Client] }
    // Of each answer to a request of its own Foundation would leave memory behind, which a leak check reports.
    let (reader, answer) = (Process(), Pipe())
    reader.executableURL = URL(filePath: "/usr/bin/env")
    let script = "import sys, urllib.request as http; sys.stdout.buffer.write(http.urlopen(sys.argv[1]).read())"
    reader.arguments = ["python3", "-c", script, "\(monitor)/connz?subs=1"]
    reader.standardOutput = answer
    try reader.run()
    let text = try #require(try answer.fileHandleForReading.readToEnd())
    reader.waitUntilExit()
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Clients.self, from: text).connections
  }

  struct NotReady: Error {
    let log: String
  }

  var port: Int { URL(string: url)?.port ?? 0 }

  /// Starts it again after `kill`, at the same port. Its clients wait for it by themselves.
  ///
  /// - Parameter options: nil: those of before.
  func restart(_ options: [String]? = nil) throws {
    self.options = options ?? self.options
    try start(on: port)
  }

  /// Accepts so many connections in its place, after `kill`, and closes each at once.
  func closeConnections(_ count: Int) throws {
    let program = Process()
    program.executableURL = URL(filePath: "/usr/bin/env")
    let script =
      "import socket, sys; server = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
      + "for _ in range(int(sys.argv[2])): server.accept()[0].close()"
    program.arguments = ["python3", "-c", script, "\(port)", "\(count)"]
    try program.run()
    program.waitUntilExit()
  }

  /// Accepts a connection in its place, after `kill`, and ends it as a server does that says why: once it has answered, or before.
  func endConnection(_ reason: String, isAnswered: Bool = false) throws -> Process {
    let program = Process()
    program.executableURL = URL(filePath: "/usr/bin/env")
    let script = #"""
      import socket, sys
      server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
      link, _ = server.accept()
      link.sendall(b'INFO {"server_id":"N","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}\r\n')
      data, more = b"", b" "
      while b"PING\r\n" not in data and more:
        more = link.recv(65536)
        data += more
      if sys.argv[3] == "true":
        link.sendall(b"PONG\r\n")
        link.recv(65536)
      link.sendall(b"-ERR '%s'\r\n" % sys.argv[2].encode())
      """#
    program.arguments = ["python3", "-c", script, "\(port)", reason, "\(isAnswered)"]
    try program.run()
    return program
  }

  /// Accepts so many connections in its place, after `kill`, of each of which it confirms nothing but its beginning, and resets it once a
  /// message has come.
  func confirmNothing(_ count: Int) throws -> Process {
    let program = Process()
    program.executableURL = URL(filePath: "/usr/bin/env")
    let script = #"""
      import socket, struct, sys
      information = b'INFO {"server_id":"N","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}\r\n'
      def read(link, word):
        data, more = b"", b" "
        while word not in data and more:
          more = link.recv(65536)
          data = data[-16:] + more
      server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
      for _ in range(int(sys.argv[2])):
        link, _ = server.accept()
        link.sendall(information)
        read(link, b"PING\r\n")
        link.sendall(b"PONG\r\n")
        read(link, b"HPUB")
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        link.close()
      """#
    program.arguments = ["python3", "-c", script, "\(port)", "\(count)"]
    try program.run()
    return program
  }

  func signal(_ number: Int32) { _ = Foundation.kill(process.processIdentifier, number) }

  /// Ends it without its knowledge.
  func kill() {
    guard process.isRunning else { return }
    signal(SIGKILL)
    process.waitUntilExit()
  }
}
#endif
