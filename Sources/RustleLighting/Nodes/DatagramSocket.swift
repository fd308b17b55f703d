internal import Dispatch
internal import Foundation
internal import RustleFiles

/// An IPv4 address with a port.
struct DatagramAddress: Sendable, Hashable {
  /// The address in the machine's order of bytes.
  let host: UInt32
  let port: UInt16

  init(host: UInt32, port: UInt16) { (self.host, self.port) = (host, port) }

  /// Reads `10.0.0.1:5570`.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let port = UInt16(parts[1]), let host = Self.host(String(parts[0])) else { return nil }
    self.init(host: host, port: port)
  }

  /// Whether it may be that of one machine: not 0.0.0.0/8, a group, a reserved one, or 255.255.255.255 (RFC 6890, RFC 5771). Which one is
  /// the broadcast address of a network, the machines of that network know.
  var isOfOneNode: Bool { (1..<224).contains(host >> 24) }

  /// Reads `10.0.0.1`.
  static func host(_ text: String) -> UInt32? {
    let bytes = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    guard bytes.count == 4 else { return nil }
    return bytes.reduce(0) { host, byte in byte.flatMap { byte in host.map { $0 << 8 | UInt32(byte) } } }
  }
}

/// A socket of UDP, and the datagrams that arrive at it.
///
/// The descriptor is closed when the stream of datagrams ends, which dropping the socket does.
final class DatagramSocket {
  /// What arrives: at most 64 wait, the newest.
  let datagrams: AsyncStream<[UInt8]>

  private let descriptor: Int32
  private let source: any DispatchSourceRead

  /// Opens a socket at an address of this machine; one of a group shares its port with other programs.
  ///
  /// - Parameter interface: for an address of multicast that of the interface whose group it joins; nil: no group.
  /// - Throws: ``LightingError`` with ``LightingError/Code/network``.
  init(_ address: DatagramAddress, joining interface: UInt32? = nil) throws(LightingError) {
    #if canImport(Glibc) || canImport(Musl)
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { throw Self.refusal(address, errno) }
    let flags = [fcntl(descriptor, F_SETFD, FD_CLOEXEC), fcntl(descriptor, F_SETFL, O_NONBLOCK)]
    var isOpen = flags.allSatisfy { $0 >= 0 }
    if isOpen, interface != nil { isOpen = Self.set(descriptor, SOL_SOCKET, SO_REUSEADDR, Int32(1)) }
    if isOpen {
      isOpen = unsafe Self.with(address) { unsafe bind(descriptor, $0, $1) } == 0
    }
    if isOpen, let interface {
      let group = ip_mreq(
        imr_multiaddr: in_addr(s_addr: address.host.bigEndian), imr_interface: in_addr(s_addr: interface.bigEndian))
      isOpen = Self.set(descriptor, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, group)
    }
    guard isOpen else {
      let number = errno
      close(descriptor)
      throw Self.refusal(address, number)
    }
    self.descriptor = descriptor
    let (datagrams, continuation) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(64))
    self.datagrams = datagrams
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .userInitiated))
    source.setEventHandler {
      while let bytes = Self.read(descriptor) { continuation.yield(bytes) }
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
    self.source = source
  }

  deinit { source.cancel() }

  /// Sends a datagram; one that the system refuses is lost, as others on the way are.
  func send(_ bytes: [UInt8], to address: DatagramAddress) {
    _ = unsafe bytes.withUnsafeBytes { bytes in
      unsafe Self.with(address) { unsafe sendto(descriptor, bytes.baseAddress, bytes.count, 0, $0, $1) }
    }
  }

  /// The next datagram, without waiting; nil: none is there. What a destination refused comes here as an error, and is no end.
  private static func read(_ descriptor: Int32) -> [UInt8]? {
    while true {
      let (bytes, number) = unsafe withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 1) { room in
        let count = unsafe recv(descriptor, room.baseAddress, room.count, 0)
        return count >= 0 ? (unsafe Array(room[..<count]), Int32(0)) : ([UInt8]?.none, errno)
      }
      if let bytes { return bytes }
      if number != ECONNREFUSED && number != EINTR { return nil }
    }
  }

  private static func set<Value: BitwiseCopyable>(
    _ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Value
  ) -> Bool {
    unsafe withUnsafePointer(to: value) {
      unsafe setsockopt(descriptor, level, option, $0, socklen_t(MemoryLayout<Value>.size))
    } == 0
  }

  private static func with<Result>(
    _ address: DatagramAddress, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var native = sockaddr_in()
    native.sin_family = sa_family_t(AF_INET)
    native.sin_port = address.port.bigEndian
    native.sin_addr = in_addr(s_addr: address.host.bigEndian)
    return unsafe withUnsafePointer(to: native) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func refusal(_ address: DatagramAddress, _ number: Int32) -> LightingError {
    let bytes = [24, 16, 8, 0].map { String(address.host >> $0 & 255) }
    return LightingError(
      .network, "\(bytes.joined(separator: ".")):\(address.port): \(SystemError.reason(number))",
      advice: "Name an address of this machine, and a port that no other program has.")
  }
}
