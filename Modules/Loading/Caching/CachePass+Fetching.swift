import CurlewCore
import FoundationEssentials
import HTTPTypes

extension CachePass {
  /// Asks the server, whether what was found is still right or for the response itself.
  nonisolated(nonsending) func fetch(_ found: Found?, _ flight: CacheFlight?) async throws -> Response {
    let validating = found.flatMap { found in
      asked.request.method == .get && answers(found) ? asked.validating(found.response) : nil
    }
    let requestedAt = now
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
      return try await unchanged(found, response, requestedAt, isOurs: validating != nil, flight)
    }
    if let found, CacheDecision.isServerFailure(response.head.status), let stale = stale(found, isUnreachable: false) {
      await response.body.discard()
      return stale
    }
    if asked.request.method == .head {
      await learn(response.head, found, requestedAt)
      return response
    }
    let isStorable = CacheDecision.isStorable(response.head, for: asked)
    guard isStorable || found != nil else { return response }
    return await storing(response, isStorable, found, requestedAt, flight)
  }

  /// Whether the stored response has what is asked for; a 304 about one that does not would be of no use.
  private func answers(_ found: Found) -> Bool {
    StoredAnswer(found.response, to: asked, source: .validated, now: now) != nil
  }

  /// The stored response in place of a failure, where that is allowed.
  private func stale(_ found: Found, isUnreachable: Bool) -> Response? {
    let configuration = caching.configuration
    let isAllowed = CacheDecision.mayServeStale(
      found.response, for: asked, now: now,
      whenUnreachable: isUnreachable && configuration.servesStaleWhenUnreachable, configuration.heuristics)
    return isAllowed ? give(found) : nil
  }

  /// Handles a 304 (RFC 9111 §4.3.3, §4.3.4).
  nonisolated(nonsending) private func unchanged(
    _ found: Found?, _ response: Response, _ requestedAt: Date, isOurs: Bool, _ flight: CacheFlight?
  ) async throws -> Response {
    guard let found, found.response.isConfirmed(by: response.head) else {
      guard isOurs else { return response }
      // The server says "unchanged" of something else than what was asked about.
      await response.body.discard()
      await store.remove(found?.key ?? key)
      return try await fetch(nil, flight)
    }
    let receivedAt = now
    let updated = found.response.updated(by: response.head, requestedAt: requestedAt, receivedAt: receivedAt)
    if asked.mayStore || asked.policy == .revalidate {
      await store.replace(found.entry, under: found.key, with: .response(updated))
    }
    guard isOurs else { return response }
    await response.body.discard()
    var given = updated
    // A cookie of then is none of now.
    if response.head.headerFields[.setCookie] == nil { given.head.headerFields[.setCookie] = nil }
    let answer = Found(key: found.key, entry: found.entry, response: given)
    if let response = give(answer, as: .validated) { return response }
    return try await fetch(nil, flight)
  }

  /// Takes from the head of a `HEAD` what it says of the stored response (RFC 9111 §4.3.5).
  nonisolated(nonsending) private func learn(_ head: ResponseHead, _ found: Found?, _ requestedAt: Date) async {
    guard head.status == .ok, let found, found.response.head.status == .ok, !asked.directives.noStore,
      asked.policy != .noStore
    else { return }
    guard found.response.isDescribed(by: head) else {
      await store.remove(found.key)
      return
    }
    let updated = found.response.updated(by: head, requestedAt: requestedAt, receivedAt: now)
    await store.replace(found.entry, under: found.key, with: .response(updated))
  }

  /// The response, stored while it is read where that is allowed.
  nonisolated(nonsending) private func storing(
    _ response: Response, _ isStorable: Bool, _ found: Found?, _ requestedAt: Date, _ flight: CacheFlight?
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
    let selecting = names.map { name in
      SelectingField(name: name, fingerprint: SelectingField.fingerprint(of: name, in: asked.request.headerFields))
    }
    let stored = StoredResponse(
      head: head, requestedAt: requestedAt, receivedAt: receivedAt, selecting: selecting)
    let filling = CacheFilling(
      stored, to: asked.request, under: isPart ? key.part : key, in: exchange, writer, store, caching.flights, flight)
    if response.head.expectedLength == 0 {
      // Nobody has to read a body of no bytes.
      await filling.complete()
      return response
    }
    return Response(head: response.head, body: response.body.wrapped { CachingBody($0, filling) })
  }

  /// Whether a response that is not stored shows that what is stored is no longer what the server has.
  private func isOutdated(_ found: Found, by head: ResponseHead) -> Bool {
    guard head.status != .partialContent else { return false }
    return head.status.kind == .successful || head.status.kind == .redirection
  }
}
