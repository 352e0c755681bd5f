import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

/// A good transport that one habit spoils, to see that the rules notice.
struct BrokenTransport: Transport {
  let good: any Transport
  var capabilities: TransportCapabilities
  var changesRequest: @Sendable (inout Request) -> Void = { _ in }
  var changesHead: @Sendable (inout ResponseHead) -> Void = { _ in }
  var wrapsBody: (@Sendable (any ResponseBodySource, Exchange) -> any ResponseBodySource)?
  var sends: (@Sendable (Request, Exchange, any Transport) async throws -> Response)?
  var shutsDown = true

  init(_ good: any Transport, _ spoil: (inout BrokenTransport) -> Void) {
    self.good = good
    capabilities = good.capabilities
    spoil(&self)
  }

  func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    var request = request
    changesRequest(&request)
    var response =
      if let sends { try await sends(request, exchange, good) } else { try await good.send(request, in: exchange) }
    changesHead(&response.head)
    guard let wrapsBody else { return response }
    return Response(head: response.head, body: response.body.wrapped { wrapsBody($0, exchange) })
  }

  func shutdown() async { if shutsDown { await good.shutdown() } }
}

/// A body source that one habit spoils.
final class BrokenSource: ResponseBodySource {
  private let source: any ResponseBodySource
  private let change: @Sendable (Result<Data?, any Error>) throws -> Data?
  private let cancels: Bool
  private let told: HTTPFields?

  init(
    _ source: any ResponseBodySource, cancels: Bool = true, trailers: HTTPFields? = nil,
    change: @escaping @Sendable (Result<Data?, any Error>) throws -> Data? = { try $0.get() }
  ) {
    self.source = source
    self.change = change
    self.cancels = cancels
    told = trailers
  }

  var trailers: HTTPFields? { told ?? source.trailers }

  func next() async throws -> Data? {
    let result: Result<Data?, any Error>
    do { result = .success(try await source.next()) } catch { result = .failure(error) }
    return try change(result)
  }

  func cancel() { if cancels { source.cancel() } }
}
