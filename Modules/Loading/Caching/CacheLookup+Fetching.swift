import CurlewCore
import FoundationEssentials
import HTTPTypes

/// When a request was sent.
struct SendingTime {
  /// The position among the cache's invalidations.
  let moment: CacheInvalidations.Moment
  /// The wall clock's time.
  let date: Date
}

extension CacheLookup {
  /// Revalidates what was found, or fetches the response.
  nonisolated(nonsending) func fetch(_ found: Found?, _ flight: CacheFlight?) async throws -> Response {
    let validating = found.flatMap { found in
      asked.request.method == .get && answers(found) ? asked.validating(found.response) : nil
    }
    let sending = SendingTime(moment: caching.flights.moment, date: now)
    let response: Response
    do {
      response =
        if let validating {
          try await next(validating, in: exchange)
        } else {
          try await next(asked.outgoing, in: exchange)
        }
    } catch {
      if let found, CacheDecision.isUnreachable(error), let stale = stale(found, isUnreachable: true) { return stale }
      throw error
    }
    if response.head.status == .notModified {
      return try await unchanged(found, response, sending, isOurs: validating != nil, flight)
    }
    if let found, CacheDecision.isServerFailure(response.head.status), let stale = stale(found, isUnreachable: false) {
      await response.body.discard()
      return stale
    }
    if asked.request.method == .head {
      await learn(response.head, found, sending)
      return response
    }
    let isStorable = CacheDecision.isStorable(response.head, for: asked)
    guard isStorable || found != nil else { return response }
    return await storing(response, isStorable, found, sending, flight)
  }

  /// Returns whether the stored response answers the request.
  ///
  /// If it does not, a 304 would be useless.
  private func answers(_ found: Found) -> Bool {
    StoredAnswer(found.response, to: asked, source: .validated, now: now, secret: store.secret) != nil
  }

  /// Returns the stored response in place of a failure, if that is allowed.
  private func stale(_ found: Found, isUnreachable: Bool) -> Response? {
    let configuration = caching.configuration
    let isAllowed = CacheDecision.mayServeStale(
      found.response, for: asked, now: now,
      whenUnreachable: isUnreachable && configuration.servesStaleWhenUnreachable, configuration.heuristics)
    return isAllowed ? give(found) : nil
  }

  /// Handles a 304 (RFC 9111 §4.3.3, §4.3.4).
  nonisolated(nonsending) private func unchanged(
    _ found: Found?, _ response: Response, _ sending: SendingTime, isOurs: Bool, _ flight: CacheFlight?
  ) async throws -> Response {
    guard let found,
      isOurs && found.response.isConfirmed(by: response.head) || found.response.isDescribed(by: response.head)
    else {
      guard isOurs else { return response }
      // The 304 confirms something other than the stored response.
      await response.body.discard()
      await store.remove(found?.key ?? key)
      return try await fetch(nil, flight)
    }
    let receivedAt = now
    let updated = found.response.updated(by: response.head, requestedAt: sending.date, receivedAt: receivedAt)
    if !CacheDecision.mayKeep(updated.head, insteadOf: found.response.head) {
      await store.remove(found.key)
    } else if asked.mayStore || asked.policy == .revalidate {
      await update(found, to: updated, sending)
    }
    guard isOurs else { return response }
    await response.body.discard()
    var given = updated
    // Never replay a stored `Set-Cookie`: it belongs to an earlier exchange.
    if response.head.headerFields[.setCookie] == nil { given.head.headerFields[.setCookie] = nil }
    let answer = Found(key: found.key, entry: found.entry, response: given)
    if let response = give(answer, as: .validated) { return response }
    return try await fetch(nil, flight)
  }

  /// Updates the stored response from the head of a `HEAD` (RFC 9111 §4.3.5).
  nonisolated(nonsending) private func learn(_ head: ResponseHead, _ found: Found?, _ sending: SendingTime) async {
    guard head.status == .ok, let found, found.response.head.status == .ok, !asked.directives.noStore,
      asked.policy != .noStore
    else { return }
    let updated = found.response.updated(by: head, requestedAt: sending.date, receivedAt: now)
    guard found.response.isDescribed(by: head), CacheDecision.mayKeep(updated.head, insteadOf: found.response.head)
    else {
      await store.remove(found.key)
      return
    }
    await update(found, to: updated, sending)
  }

  /// Stores newer fields, unless the entry was invalidated in the meantime.
  nonisolated(nonsending) private func update(
    _ found: Found, to updated: StoredResponse, _ sending: SendingTime
  ) async {
    guard !caching.flights.isOvertaken(key, since: sending.moment) else { return }
    await store.replace(found.entry, under: found.key, with: .response(updated))
    // An invalidation in the meantime may have removed the entry before it was stored again.
    if caching.flights.isOvertaken(key, since: sending.moment) { await store.remove(found.key) }
  }

  /// Returns the response; stores it while it is read, if that is allowed.
  nonisolated(nonsending) private func storing(
    _ response: Response, _ isStorable: Bool, _ found: Found?, _ sending: SendingTime, _ flight: CacheFlight?
  ) async -> Response {
    let receivedAt = now
    if let found, response.head.status == .partialContent, !found.response.isConfirmed(by: response.head) {
      await store.remove(found.key)
    }
    guard isStorable, let writer = await store.begin(expecting: response.head.expectedLength) else {
      if let found, asked.policy != .noStore, isOutdated(found, by: response.head) { await store.remove(found.key) }
      return response
    }
    var head = response.head
    head.headerFields = StoredResponse.dated(head.headerFields, receivedAt)
    let isPart = head.status == .partialContent
    var names: [HTTPField.Name] = []
    if isPart {
      names = [.range]
    } else if case .fields(let varying) = VaryField(of: head.headerFields) {
      names = varying
    }
    let secret = store.secret
    let selecting = names.map { name in
      SelectingField(
        name: name, fingerprint: SelectingField.fingerprint(of: name, in: asked.request.headerFields, secret))
    }
    let stored = StoredResponse(
      head: head, requestedAt: sending.date, receivedAt: receivedAt, selecting: selecting)
    let filling = CacheWriteThrough(
      stored, to: asked.request, under: isPart ? key.part : key, in: exchange, writer, store, caching.flights, flight,
      sentAt: sending.moment)
    if response.head.expectedLength == 0 {
      // Nobody has to read an empty body.
      await filling.complete()
      return response
    }
    return Response(head: response.head, body: response.body.tapped(by: CachingTap(filling)))
  }

  /// Returns whether a response shows that the stored one is outdated.
  private func isOutdated(_ found: Found, by head: ResponseHead) -> Bool {
    guard head.status != .partialContent else { return false }
    return head.status.kind == .successful || head.status.kind == .redirection
  }
}
