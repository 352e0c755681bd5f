import CurlewCore
import CurlewStorage
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

@testable import CurlewLoading

/// A cache before a stub, on a clock that stands still.
final class CacheScene: Sendable {
  let clock = ManualClock(date: Date(timeIntervalSince1970: 1_790_000_000))
  let caching: Caching
  let sent = Collected<Request>()
  let loader: Loader

  init(
    _ store: any CacheStore = MemoryCacheStore(), _ configuration: Caching.Configuration = .init(),
    answer: @escaping @Sendable (StubTransport.Asked) async throws -> StubAnswer
  ) {
    let caching = Caching(store, configuration: configuration)
    self.caching = caching
    let sent = sent
    loader = Loader(
      StubTransport { asked in
        sent.append(asked.request)
        return try await answer(asked)
      }, interceptors: [caching])
  }

  /// Answers the same fields and a body that counts.
  convenience init(
    _ fields: HTTPFields, status: HTTPResponse.Status = .ok, _ store: any CacheStore = MemoryCacheStore()
  ) {
    self.init(store) { asked in
      StubAnswer(status, headerFields: fields, body: [.bytes(Data("body \(asked.index)".utf8))])
    }
  }

  struct Reply: Sendable, Equatable {
    var status: Int
    var text: String
    var source: ResponseHead.Source
    var fields: HTTPFields
  }

  @discardableResult
  func get(
    _ fields: HTTPFields = [:], _ method: HTTPRequest.Method = .get, at url: URL = Fixture.url,
    hooks: ExchangeHooks = ExchangeHooks(), _ change: (inout Request) -> Void = { _ in }
  ) async throws -> Reply {
    var request = Request(method, url, headerFields: fields)
    change(&request)
    var settings = ExchangeSettings()
    settings.clock = clock
    settings.hooks = hooks
    let response = try await loader.load(request, in: Exchange(settings))
    let body = try await response.body.collect(upTo: 1 << 24)
    return Reply(
      status: response.head.status.code, text: String(decoding: body, as: UTF8.self), source: response.head.source,
      fields: response.head.headerFields)
  }

  /// A request's body, begun and not read.
  func begin(_ delivery: ResponseDelivery? = nil, at url: URL = Fixture.url) async throws -> Response {
    var request = Request(.get, url)
    request.options.delivery = delivery
    var settings = ExchangeSettings()
    settings.clock = clock
    return try await loader.load(request, in: Exchange(settings))
  }

  func pass(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }
}

/// Values for the pure rules.
enum CacheFixture {
  /// The stores there are; the disk is one in memory.
  enum Store: CaseIterable, Sendable {
    case memory
    case disk

    func make() throws -> any CacheStore {
      guard self == .disk else { return MemoryCacheStore() }
      return DiskCacheStore(
        try BoundedStore("/cache", limits: .init(capacity: 32 << 20), in: MemoryFileSystem(capacity: 64 << 20)))
    }
  }

  static let now = Date(timeIntervalSince1970: 1_790_000_000)

  /// What was stored so many seconds ago.
  static func stored(
    _ fields: HTTPFields, status: HTTPResponse.Status = .ok, ago: Double = 0, delay: Double = 0,
    selecting: [SelectingField] = []
  ) -> StoredResponse {
    StoredResponse(
      head: ResponseHead(url: Fixture.url, status: status, headerFields: fields), requestedAt: now - ago - delay,
      receivedAt: now - ago, selecting: selecting, length: 10)
  }

  static func asked(
    _ fields: HTTPFields = [:], _ policy: CachePolicy? = nil, method: HTTPRequest.Method = .get
  ) -> CacheRequest {
    var request = Request(method, Fixture.url, headerFields: fields)
    request.options.cachePolicy = policy
    return CacheRequest(request)
  }

  /// The date so many seconds from now, as a field has it.
  static func date(_ seconds: Double) -> String { HTTPDate(now + seconds).description }
}
