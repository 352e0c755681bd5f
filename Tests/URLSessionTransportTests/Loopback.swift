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
