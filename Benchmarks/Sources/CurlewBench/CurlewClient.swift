import ArgumentParser
import CurlewContentCoding
import CurlewCore
import CurlewCurlTransport
import CurlewHAR
import CurlewJSON
import CurlewLoading
import CurlewOperations
import CurlewSecurity
import CurlewSession
import CurlewURLSessionTransport
import Foundation
import HTTPTypes

enum TransportName: String, ExpressibleByArgument, CaseIterable {
  case curl
  case urlsession

  func make(inFlight: Int) throws -> any Transport {
    switch self {
    case .curl:
      var configuration = CurlTransport.Configuration()
      configuration.requestsPerOrigin = max(configuration.requestsPerOrigin, inFlight)
      configuration.connectionsKept = max(configuration.connectionsKept, inFlight)
      return try CurlTransport(configuration)
    case .urlsession:
      return URLSessionTransport()
    }
  }
}

/// The interceptors that a request passes through.
enum InterceptorsName: String, ExpressibleByArgument, CaseIterable {
  case none
  case decoding
  case redirect
  case cookies
  case authentication
  case caching
  /// All of the interceptors but content decoding, which sends a field of its own.
  case others
  /// All of the interceptors.
  case all

  var chain: InterceptorChain {
    var chain = InterceptorChain()
    if self == .decoding || self == .all { chain.decoding = ContentDecoding() }
    let hasOthers = self == .others || self == .all
    if self == .redirect || hasOthers { chain.redirect = Redirect() }
    if self == .cookies || hasOthers { chain.cookies = Cookies(Self.jar) }
    if self == .authentication || hasOthers { chain.authentication = Authentication() }
    if self == .caching || hasOthers { chain.caching = Caching(MemoryCacheStore()) }
    return chain
  }

  /// A cookie jar whose cookies all belong to servers other than the measured one.
  private static var jar: MemoryCookieJar {
    let jar = MemoryCookieJar()
    for host in 0..<20 {
      jar.put(Cookie(name: "session", value: "1", domain: "h\(host).example"), at: HTTPDate(secondsSince1970: 0))
    }
    return jar
  }
}

/// The executor of a run's tasks.
enum ExecutorName: String, ExpressibleByArgument, CaseIterable {
  /// The transport's own thread, which avoids a thread switch.
  case transport
  /// The global pool, where tasks run by default.
  case global
}

/// The API of Curlew that makes the requests.
enum ThroughName: String, ExpressibleByArgument, CaseIterable {
  /// `Transport.send`, and the body in memory.
  case transport
  /// `Loader.data`.
  case loader
  /// A `Transfer` into memory for each request.
  case transfer
  /// An `HTTPRequestOperation` for each request, all of them in one queue from the beginning.
  case operation
  /// `HTTPSession.get` for each request; with `--decode json` it decodes a `Decodable`.
  case session
  /// `HTTPSession.dataTask` for each request.
  case task
  /// `URLSessionManager.dataTask` for each request, without hooks.
  case manager
  /// The same with all hooks; `--interceptors others` asks them.
  case hooks
}

/// Curlew's public async API; each task sends one request after another.
struct CurlewClient: GetClient {
  private let transport: any Transport
  private let loader: Loader
  private let request: Request
  private let inFlight: Int
  private let decode: GetCommand.Decoding?
  private let through: ThroughName
  private let way: any RequestWay
  private let recorder: HARRecorder?
  /// The executor of the tasks; nil is the global one.
  private let executor: (any TaskExecutor)?

  init(
    _ url: String, inFlight: Int, transport: TransportName, decode: GetCommand.Decoding?, executor: ExecutorName,
    interceptors: InterceptorsName, through: ThroughName, recorder: HARRecorder?
  ) throws {
    self.transport = try transport.make(inFlight: inFlight)
    var settings = ExchangeSettings()
    settings.observers = recorder.map { [$0] } ?? []
    self.recorder = recorder
    loader = Loader(self.transport, chain: interceptors.chain, settings: settings)
    request = try Request(.get, url)
    let session = HTTPSession(self.transport) { configuration in
      configuration.chain = interceptors.chain
      configuration.coding = .json
    }
    way =
      switch through {
      case .transport: TransportWay(self.transport, request, decode)
      case .loader, .operation: LoaderWay(loader: loader, request: request, decoding: decode)
      case .transfer: TransferWay(loader: loader, request: request, decoding: decode)
      case .session where decode == .json: SessionValueWay(session: session, url: url)
      case .session: SessionWay(session: session, url: url)
      case .task, .manager, .hooks: TaskRequests(through, request, over: session)
      }
    self.inFlight = inFlight
    self.decode = decode
    self.through = through
    self.executor = executor == .transport ? (self.transport as? CurlTransport)?.executor : nil
  }

  func get(count: Int) async throws -> Int64 {
    if through == .operation {
      let queue = RequestQueue(width: inFlight, limit: bodyLimit)
      return try await queue.get(request, over: loader, count: count, decodesJSON: decode == .json)
    }
    return try await withThrowingTaskGroup(of: Int64.self) { group in
      for index in 0..<inFlight {
        let share = count / inFlight + (index < count % inFlight ? 1 : 0)
        group.addTask(executorPreference: executor) { try await self.getInTurn(share) }
      }
      return try await group.reduce(0, +)
    }
  }

  private func getInTurn(_ count: Int) async throws -> Int64 {
    var bytes: Int64 = 0
    for _ in 0..<count { bytes += try await way.bytes() }
    return bytes
  }

  func end() async throws {
    await transport.shutdown()
    recorder?.close()
    if let recorder, recorder.droppedCount > 0 {
      throw BenchError(description: "\(recorder.droppedCount) requests are not in the archive.")
    }
  }
}
