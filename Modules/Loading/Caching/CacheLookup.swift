import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The lookup of one request in a cache.
final class CacheLookup: Sendable {
  /// A stored response that matches the request.
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

  /// Answers from the store, or fetches the response.
  nonisolated(nonsending) func run() async throws -> Response {
    let mayShare = asked.mayShare
    var waits = 0
    /// When the total timeout passes; known once the request waits for another one.
    var limit: ContinuousClock.Instant?
    while true {
      var found: Found?
      if asked.mayUseStored, let entry = await entry() { found = await choose(entry, under: key) }
      if let found, let response = answer(found) { return response }
      if found == nil, asked.mayUseStored, asked.asksForRange, let part = await lookupPart(),
        let response = answer(part)
      {
        return response
      }
      if found == nil, asked.mayUseStored, asked.needsUncoded, let uncoded = await lookupUncoded(),
        let response = answer(uncoded)
      {
        return response
      }
      if asked.isOnlyForStored { return try missing() }
      // After two waits in vain the response is evidently not shareable, so the request is sent.
      let mayFollow = mayShare && waits < 2
      switch caching.flights.enter(key, asked.request, mayFollow: mayFollow, mayLead: mayShare, pause: exchange.pause) {
      case .follow(let end):
        waits += 1
        limit =
          limit ?? asked.request.options.timeouts.total.map { exchange.settings.clock.now.advanced(by: $0.limited) }
        try await follow(end, until: limit)
      case .lead(let flight): return try await limited(to: limit).fetch(found, flight)
      case .alone: return try await limited(to: limit).fetch(found, nil)
      }
    }
  }

  /// Returns the entry under the request's key.
  ///
  /// A store in memory is asked without `await`, which costs a look at the task's executor even where nothing is waited for.
  nonisolated(nonsending) private func entry() async -> CacheEntry? {
    guard let memory = caching.memory else { return await store.entry(for: key) }
    return memory.entry(for: key)
  }

  /// Waits for an equal request in flight.
  ///
  /// The wait ends when that request ends or is paused, or makes no progress for too long.
  ///
  /// - Throws: `timedOut` at the limit.
  private func follow(_ end: CacheFlightEnd, until limit: ContinuousClock.Instant?) async throws {
    let clock = exchange.settings.clock
    let patience = max(caching.configuration.patience.limited, .milliseconds(1))
    let wait = Task { try await end.wait() }
    let watch = Task { [flights = caching.flights, key] in
      var progress = flights.progress(key)
      while true {
        let look = clock.now.advanced(by: patience)
        guard (try? await clock.sleep(until: min(look, limit ?? look))) != nil else { return }
        if let limit, limit <= clock.now { return wait.cancel() }
        let now = flights.progress(key)
        if now == progress { return flights.end(key, end.id) }
        progress = now
      }
    }
    defer { watch.cancel() }
    do {
      try await withTaskCancellationHandler {
        try await wait.value
      } onCancel: {
        wait.cancel()
      }
    } catch is CancellationError {
      try Task.checkCancellation()
      throw waitedTooLong
    }
  }

  /// Returns the lookup of the same request with the time that its wait has left of the total timeout.
  ///
  /// - Throws: `timedOut` if none is left.
  private func limited(to limit: ContinuousClock.Instant?) throws(NetworkError) -> CacheLookup {
    guard let limit else { return self }
    let left = exchange.settings.clock.now.duration(to: limit)
    guard left > .zero else { throw waitedTooLong }
    var request = asked.request
    request.options.timeouts.total = left
    return CacheLookup(CacheRequest(request), key, exchange, next, caching)
  }

  /// The error of a request that waited for an equal one for all of its time.
  private var waitedTooLong: NetworkError {
    NetworkError(
      .timedOut, stage: .awaitingHead, message: "The total timeout passed while an equal request was in flight."
    ).with { $0.request = asked.request }
  }

  /// Selects the stored variant that matches the request (RFC 9111 §4.1).
  nonisolated(nonsending) private func choose(_ entry: CacheEntry, under key: CacheKey) async -> Found? {
    switch entry.record {
    case .response(let response):
      guard response.matches(asked.request.headerFields, secret: store.secret) else { return nil }
      return Found(key: key, entry: entry, response: response)
    case .selector(let selector):
      let variant = key.variant(selector, of: asked.request, secret: store.secret)
      guard let entry = await store.entry(for: variant), case .response(let response) = entry.record,
        response.matches(asked.request.headerFields, secret: store.secret)
      else { return nil }
      return Found(key: variant, entry: entry, response: response)
    }
  }

  /// Returns a stored part of the requested content.
  nonisolated(nonsending) private func lookupPart() async -> Found? {
    guard let entry = await store.entry(for: key.part), case .response(let response) = entry.record else { return nil }
    return Found(key: key.part, entry: entry, response: response)
  }

  /// Returns an uncoded response, stored for a request that offered codings.
  ///
  /// It also answers a request that needs uncoded content and therefore offers no codings.
  nonisolated(nonsending) private func lookupUncoded() async -> Found? {
    guard let key = CacheKey(ofOffering: asked.request, in: exchange, secret: store.secret),
      let entry = await store.entry(for: key), let found = await choose(entry, under: key),
      found.response.head.headerFields[.contentEncoding] == nil
    else { return nil }
    return found
  }

  /// Returns the stored response if it may be used without revalidation.
  private func answer(_ found: Found) -> Response? {
    let verdict = CacheDecision.verdict(
      on: found.response, for: asked, now: now, caching.configuration.heuristics)
    guard verdict != .validate, let response = give(found) else { return nil }
    if verdict == .serveAndRevalidate, !asked.isOnlyForStored, !asked.asksForRange { revalidate(found) }
    return response
  }

  /// Returns the stored response unchanged; nil if it does not answer the request.
  func give(_ found: Found, as source: ResponseHead.Source = .cache) -> Response? {
    guard let answer = StoredAnswer(found.response, to: asked, source: source, now: now, secret: store.secret) else {
      return nil
    }
    exchange.emit(.responded(answer.head))
    let store = store
    let key = found.key
    return answer.response(found.entry.content) { await store.remove(key) }
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

  /// Revalidates in the background while the stale response is read.
  ///
  /// It is an exchange of its own without observers.
  private func revalidate(_ found: Found) {
    guard
      case .lead(let flight) = caching.flights.enter(
        key, asked.request, mayFollow: false, mayLead: true)
    else { return }
    var settings = exchange.settings
    settings.observers = []
    settings.deadline = nil
    if !settings.hooks.asksAboutRevalidations { settings.hooks.storeInCache = nil }
    let lookup = CacheLookup(asked, key, Exchange(settings), next, caching)
    caching.background.start(limit: caching.configuration.revalidationLimit) {
      // If revalidation fails, the stored response stays unchanged.
      guard let response = try? await lookup.fetch(found, flight) else { return }
      try? await response.body.drain(into: PassingSink())
    }
  }
}

/// Discards bytes.
private final class PassingSink: BodySink {
  func receive(_ bytes: UnsafeRawBufferPointer) -> SinkDemand { .more }
}
