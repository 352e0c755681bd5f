import CurlewCore
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

/// Runs a body with an origin and a transport, and ends both.
func withOrigin(
  _ options: OriginOptions = OriginOptions(), _ configuration: URLSessionTransport.Configuration = .init(),
  handler: @escaping ScriptedOrigin.Handler,
  _ body: (ScriptedOrigin, URLSessionTransport) async throws -> Void
) async throws {
  let origin = try await ScriptedOrigin.start(options, handler: handler)
  let transport = URLSessionTransport(configuration)
  do {
    try await body(origin, transport)
  } catch {
    await transport.shutdown()
    await origin.stop()
    throw error
  }
  await transport.shutdown()
  await origin.stop()
}

extension URLSessionTransport {
  /// Sends a request and reads the body.
  func fetch(_ request: Request, in exchange: Exchange = Exchange()) async throws -> (head: ResponseHead, body: Data) {
    let response = try await send(request, in: exchange)
    return (response.head, try await response.body.collect(upTo: 64 << 20))
  }
}

/// The `NetworkError` that a body ends in; an issue is recorded when it ends otherwise.
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> NetworkError {
  try #require(await #expect(throws: NetworkError.self, sourceLocation: sourceLocation) { try await body() })
}

extension HTTPFields {
  /// A field whose name is known to be a token.
  subscript(named name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }
}

/// A port of the loopback network where nobody listens, and that nobody else gets while this lives.
final class UnheardPort {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(descriptor, name, length) == 0 ? getsockname(descriptor, name, &length) : -1
      }
    }
    self.descriptor = descriptor
    port = UInt16(bigEndian: address.sin_port)
    guard result == 0 else { throw FileSystemError(code: errno, operation: "bind", path: "") }
  }

  deinit { close(descriptor) }
}
