import CurlewCore
import FoundationEssentials
import HTTPTypes

/// One response that is being stored while it is read.
///
/// It is stored when its body has ended without an error and the app does not veto it; in all other cases nothing is stored.
final class CacheWriteThrough: Sendable {
  private struct State {
    var isOver = false
    var isRevoked = false
    var length: Int64 = 0
    var flight: CacheFlight?
    /// The key under which the response was stored.
    var committedKey: CacheKey?
  }

  let key: CacheKey
  /// The number of bytes received so far.
  var length: Int64 { state.withLock { $0.length } }
  private let writer: any CacheWriter
  private let store: any CacheStore
  private let flights: CacheFlights
  private let exchange: Exchange
  private let request: Request
  private let response: StoredResponse
  private let state: Guarded<State>

  init(
    _ response: StoredResponse, to request: Request, under key: CacheKey, in exchange: Exchange,
    _ writer: any CacheWriter, _ store: any CacheStore, _ flights: CacheFlights, _ flight: CacheFlight?,
    sentAt moment: CacheInvalidations.Moment
  ) {
    self.response = response
    self.request = request
    self.key = key
    self.exchange = exchange
    self.writer = writer
    self.store = store
    self.flights = flights
    state = Guarded(State(flight: flight))
    if !flights.add(self, since: moment) { revoke() }
  }

  /// Stores bytes on their way to the reader; may run on a transport's thread.
  func append(_ bytes: UnsafeRawBufferPointer) {
    let isOpen = state.withLock { state in
      state.length += Int64(bytes.count)
      return !state.isOver
    }
    guard isOpen else { return }
    // If the response cannot be stored, it is still delivered.
    do { try writer.append(bytes) } catch { abandon() }
  }

  /// Asks the app, and stores the response.
  func complete() async {
    let length = state.withLock { $0.isOver ? nil : $0.length }
    guard let length else { return }
    var response = response
    switch await exchange.settings.hooks.storeInCache?(response.head) ?? .store {
    case .store: break
    case .change(let head):
      response = StoredResponse(
        head: head, requestedAt: response.requestedAt, receivedAt: response.receivedAt, selecting: response.selecting)
    case .refuse:
      abandon()
      return
    }
    response.length = length
    guard let flight = end() else { return }
    // Failing to store the response does not fail the request.
    try? await commit(response)
    flights.remove(self)
    // An invalidation during the commit could not remove the entry yet.
    if state.withLock({ $0.isRevoked }) { await store.remove(key) }
    withExtendedLifetime(flight) {}
  }

  /// Discards what was stored so far; does nothing after the end.
  func abandon() {
    guard end() != nil else { return }
    writer.discard()
    flights.remove(self)
  }

  /// Removes a response whose bytes are wrong, stored or not.
  func reject() async {
    revoke()
    if let committed = state.withLock({ $0.committedKey }) { await store.remove(committed) }
  }

  /// Prevents the response from being stored, even if a commit is running.
  func revoke() {
    state.withLock { $0.isRevoked = true }
    abandon()
  }

  /// Ends the storing once; returns the flights to keep until that is done.
  private func end() -> [CacheFlight]? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.isOver = true
      defer { state.flight = nil }
      return state.flight.map { [$0] } ?? []
    }
  }

  private func commit(_ response: StoredResponse, _ key: CacheKey) async throws {
    state.withLock { $0.committedKey = key }
    try await writer.commit(.response(response), under: key)
  }

  private func commit(_ response: StoredResponse) async throws {
    let names = response.selecting.map(\.name)
    if response.head.status == .partialContent, StoredPart(response.head, length: response.length) == nil {
      writer.discard()
      return
    }
    guard !names.isEmpty, response.head.status != .partialContent else {
      try await commit(response, key)
      return
    }
    if case .selector(let selector)? = await store.entry(for: key)?.record, selector.names == names {
      try await commit(response, key.variant(selector, of: request, secret: store.secret))
      return
    }
    let selector = VariantSelector(names: names, nonce: .random(in: .min ... .max))
    try await commit(response, key.variant(selector, of: request, secret: store.secret))
    try await store.begin(expecting: 0)?.commit(.selector(selector), under: key)
  }
}

/// Stores a body while it is read.
final class CachingTap: BodyTap {
  private let filling: CacheWriteThrough

  init(_ filling: CacheWriteThrough) { self.filling = filling }

  deinit { filling.abandon() }

  func receive(_ bytes: UnsafeRawBufferPointer) { filling.append(bytes) }

  func ended(by error: (any Error)?) async {
    if error == nil { await filling.complete() } else { filling.abandon() }
  }

  func cancelled() { filling.abandon() }

  func rejected() async { await filling.reject() }
}
