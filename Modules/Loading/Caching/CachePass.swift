import CurlewCore
import FoundationEssentials
import HTTPTypes

/// One request on its way through a cache.
final class CachePass: Sendable {
  /// A stored response that fits the request.
  final class Found: Sendable {
    let key: CacheKey
    let entry: CacheEntry
    let response: StoredResponse

    init(key: CacheKey, entry: CacheEntry, response: StoredResponse) {
      self.key = key
      self.entry = entry
      self.response = response
    }
  }

  let asked: CacheRequest
  let key: CacheKey
  let exchange: Exchange
  let next: Next
  let caching: Caching

  init(_ asked: CacheRequest, _ key: CacheKey, _ exchange: Exchange, _ next: Next, _ caching: Caching) {
    self.asked = asked
    self.key = key
    self.exchange = exchange
    self.next = next
    self.caching = caching
  }

  var store: any CacheStore { caching.store }
  var now: Date { exchange.settings.clock.date }

  /// Answers from what is stored, or fetches.
  nonisolated(nonsending) func run() async throws -> Response {
    let mayShare = asked.mayShare
    var waits = 0
    while true {
      var found: Found?
      if asked.mayUseStored, let entry = await store.entry(for: key) { found = await choose(entry) }
      if let found, let response = answer(found) { return response }
      if found == nil, asked.mayUseStored, asked.asksForRange, let part = await lookupPart(),
        let response = answer(part)
      {
        return response
      }
      if asked.isOnlyForStored { return try missing() }
      // Whoever waited in vain twice does not wait again: the response is not one to share.
      switch caching.flights.enter(key, asked.request, mayFollow: mayShare && waits < 2, mayLead: mayShare) {
      case .follow(let end):
        waits += 1
        try await end.wait()
      case .lead(let flight): return try await fetch(found, flight)
      case .alone: return try await fetch(found, nil)
      }
    }
  }

  /// What of what stands under the key is for the request.
  nonisolated(nonsending) private func choose(_ entry: CacheEntry) async -> Found? {
    switch entry.record {
    case .response(let response):
      guard response.matches(asked.request.headerFields) else { return nil }
      return Found(key: key, entry: entry, response: response)
    case .selector(let selector):
      let variant = key.variant(selector, of: asked.request)
      guard let entry = await store.entry(for: variant), case .response(let response) = entry.record,
        response.matches(asked.request.headerFields)
      else { return nil }
      return Found(key: variant, entry: entry, response: response)
    }
  }

  /// A stored part of what is asked for.
  nonisolated(nonsending) private func lookupPart() async -> Found? {
    guard let entry = await store.entry(for: key.part), case .response(let response) = entry.record else { return nil }
    return Found(key: key.part, entry: entry, response: response)
  }

  /// The stored response, where it may be given without asking the server first.
  private func answer(_ found: Found) -> Response? {
    let verdict = CacheDecision.verdict(
      on: found.response, for: asked, now: now, caching.configuration.heuristics)
    guard verdict != .validate, let response = give(found) else { return nil }
    if verdict == .serveAndRevalidate, !asked.isOnlyForStored, !asked.asksForRange { revalidate(found) }
    return response
  }

  /// The stored response as it is; nil where it does not answer the request.
  func give(_ found: Found, as source: ResponseHead.Source = .cache) -> Response? {
    guard let answer = StoredAnswer(found.response, to: asked, source: source, now: now) else { return nil }
    exchange.emit(.responded(answer.head))
    return answer.response(found.entry.content)
  }

  private func missing() throws -> Response {
    guard asked.policy != .returnStoredDontLoad else {
      throw NetworkError.notInCache(asked.request)
    }
    var head = ResponseHead(url: asked.request.url, status: .gatewayTimeout, headerFields: [.contentLength: "0"])
    head.source = .cache
    exchange.emit(.responded(head))
    return Response(head: head, body: ResponseBody(Data()))
  }

  /// Asks the server while the stale response is read; an exchange of its own, which nobody observes.
  private func revalidate(_ found: Found) {
    guard
      case .lead(let flight) = caching.flights.enter(
        key, asked.request, mayFollow: false, mayLead: true)
    else { return }
    var settings = exchange.settings
    settings.observers = []
    settings.deadline = nil
    let pass = CachePass(asked, key, Exchange(settings), next, caching)
    caching.background.start(limit: caching.configuration.revalidationLimit) {
      // A question that fails leaves what is stored as it was.
      guard let response = try? await pass.fetch(found, flight) else { return }
      try? await response.body.drain(into: PassingSink())
    }
  }
}

/// Takes bytes and keeps none.
private final class PassingSink: BodySink {
  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkDemand { .more }
}
