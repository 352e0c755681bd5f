import Glibc
import Testing

/// A blocking client of a few lines, so that the origin is judged by bytes and not by another HTTP stack.
struct RawClient: ~Copyable {
  let descriptor: Int32

  /// Runs blocking code on a thread of its own: the origin's handlers need the tasks' threads.
  static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      let job = Job { continuation.resume(with: Swift.Result { try body() }) }
      var thread = pthread_t()
      let code = pthread_create(
        &thread, nil,
        { argument in
          if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body() }
          return nil
        }, Unmanaged.passRetained(job).toOpaque())
      if code == 0 {
        pthread_detach(thread)
      } else {
        continuation.resume(throwing: Failure(what: "thread", code: code))
      }
    }
  }

  private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  struct Failure: Error {
    var what: String
    var code: Int32
  }

  init(port: Int, receiveBuffer: Int32? = nil) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    try self.init(withUnsafeBytes(of: address) { Array($0) }, family: AF_INET, receiveBuffer: receiveBuffer)
  }

  init(unix path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try self.init(withUnsafeBytes(of: address) { Array($0) }, family: AF_UNIX, receiveBuffer: nil)
  }

  private init(_ address: [UInt8], family: Int32, receiveBuffer: Int32?) throws {
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if var receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let code = address.withUnsafeBytes { raw in
      connect(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
    guard code == 0 else { throw Failure(what: "connect", code: errno) }
  }

  deinit { close(descriptor) }

  func send(_ text: String) throws { try send([UInt8](text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Failure(what: "send", code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// The next bytes; empty at the end.
  func read(_ limit: Int = 65_536) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = recv(descriptor, &buffer, limit, 0)
    guard count >= 0 else { throw Failure(what: "read", code: errno) }
    return [UInt8](buffer.prefix(count))
  }

  /// All bytes up to the end of the connection.
  func readBytesToEnd() throws -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let next = try read()
      if next.isEmpty { return all }
      all += next
    }
  }

  /// All bytes up to the end of the connection, as text.
  func readToEnd() throws -> String { String(decoding: try readBytesToEnd(), as: UTF8.self) }

  /// Reads until the text ends with `suffix`.
  func read(until suffix: String) throws -> String {
    var all: [UInt8] = []
    let suffix = [UInt8](suffix.utf8)
    while all.count < suffix.count || [UInt8](all.suffix(suffix.count)) != suffix {
      let next = try read()
      guard !next.isEmpty else {
        throw Failure(what: "early end after \(String(decoding: all, as: UTF8.self))", code: 0)
      }
      all += next
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Says that nothing more will be sent.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// One request on a connection of its own: the whole reply up to the connection's end, as text.
  static func exchange(_ port: Int, _ request: String) async throws -> String {
    try await run {
      let client = try RawClient(port: port)
      try client.send(request)
      return try client.readToEnd()
    }
  }

  /// A GET that asks for the end of the connection.
  static func get(_ port: Int, _ path: String = "/") async throws -> String {
    try await exchange(port, "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
  }
}
