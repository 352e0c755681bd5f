import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

/// A good transport that one habit spoils, to see that the rules notice.
struct BrokenTransport: DuplexTransport {
  let good: any Transport
  var capabilities: TransportCapabilities
  var changesRequest: @Sendable (inout Request) -> Void = { _ in }
  var changesHead: @Sendable (inout ResponseHead) -> Void = { _ in }
  var wrapsBody: (@Sendable (any ResponseBodySource, Exchange) -> any ResponseBodySource)?
  var sends: (@Sendable (Request, Exchange, any Transport) async throws -> Response)?
  var connects: (@Sendable (Request, Exchange, any DuplexTransport) async throws -> DuplexConnection)?
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

  func connect(_ request: Request, in exchange: Exchange) async throws -> DuplexConnection {
    guard let good = good as? any DuplexTransport else { throw NetworkError.unsupported(.duplex, request: request) }
    guard let connects else { return try await good.connect(request, in: exchange) }
    return try await connects(request, exchange, good)
  }

  func shutdown() async { if shutsDown { await good.shutdown() } }
}

/// The habits of a code that passes the bytes of a connection on.
struct BrokenRelay: Sendable {
  var change: @Sendable (Data) -> Data = { $0 }
  var hoards = false
  var hidesEnd = false
  var keepsConnection = false

  /// Returns a connection whose bytes are those of another one, but for the habits.
  func relay(_ good: DuplexConnection) -> DuplexConnection {
    let (ours, theirs) = DuplexConnection.pair()
    Task {
      do {
        while let bytes = try await theirs.receive() { try await good.send(bytes) }
        good.close()
      } catch {
        if !keepsConnection { good.cancel() }
      }
    }
    Task {
      while let bytes = try await good.receive() {
        if hoards { try theirs.write(change(bytes)) } else { try await theirs.send(change(bytes)) }
      }
      if hidesEnd { theirs.cancel() } else { theirs.close() }
    }
    return ours
  }
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
