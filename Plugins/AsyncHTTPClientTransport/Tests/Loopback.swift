#if AsyncHTTPClient
import CurlewAsyncHTTPClientTransport
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

/// Runs a body with an origin and a transport, and ends both.
func withOrigin(
  _ options: OriginOptions = OriginOptions(), _ configuration: AsyncHTTPClientTransport.Configuration = .init(),
  handler: @escaping ScriptedOrigin.Handler,
  _ body: (ScriptedOrigin, AsyncHTTPClientTransport) async throws -> Void
) async throws {
  let origin = try await ScriptedOrigin.start(options, handler: handler)
  try await withTransport(configuration) { try await body(origin, $0) }
  await origin.stop()
}

/// Runs a body with a transport, and ends it.
func withTransport(
  _ configuration: AsyncHTTPClientTransport.Configuration = .init(),
  _ body: (AsyncHTTPClientTransport) async throws -> Void
) async throws {
  let transport = AsyncHTTPClientTransport(configuration)
  do {
    try await body(transport)
  } catch {
    await transport.shutdown()
    throw error
  }
  await transport.shutdown()
}

extension AsyncHTTPClientTransport {
  /// Sends a request and reads the body.
  func fetch(_ request: Request, in exchange: Exchange = Exchange()) async throws -> (head: ResponseHead, body: Data) {
    let response = try await send(request, in: exchange)
    return (response.head, try await response.body.collect(upTo: 64 << 20))
  }
}

extension Exchange {
  /// Creates an exchange with changed settings.
  static func with(_ change: (inout ExchangeSettings) -> Void) -> Exchange {
    var settings = ExchangeSettings()
    change(&settings)
    return Exchange(settings)
  }
}

/// The `NetworkError` that a body ends in; an issue is recorded when it ends otherwise.
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async throws -> NetworkError {
  try #require(await #expect(throws: NetworkError.self, sourceLocation: sourceLocation) { try await body() })
}
#endif
