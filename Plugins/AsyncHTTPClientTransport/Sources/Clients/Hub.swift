#if AsyncHTTPClient
import CurlewCore
import Synchronization

/// Keeps a transport's clients open; its last reference closes them.
///
/// The transport and every unfinished request hold one. A body can therefore be read to its end after its transport's last
/// reference is released.
final class HubKeeper: Sendable {
  let hub: Hub

  init(_ hub: Hub) { self.hub = hub }

  deinit { hub.close() }
}

/// The clients of a transport, and its requests in flight.
final class Hub: Sendable {
  private struct State {
    /// The clients for further requests, and when each was last used.
    var clients: [ClientSettings: (client: Client, use: UInt64)] = [:]
    /// The clients that one request has for itself.
    var ownClients: [ObjectIdentifier: Client] = [:]
    var uses: UInt64 = 0
    var isClosed = false

    /// Returns a known client, and records its use.
    mutating func use(_ settings: ClientSettings) -> Client? {
      guard let known = clients[settings] else { return nil }
      uses += 1
      clients[settings]?.use = uses
      return known.client
    }

    /// Removes the least recently used client beyond the limit.
    mutating func takeOldest() -> Client? {
      guard clients.count > Hub.mostClients, let oldest = clients.min(by: { $0.value.use < $1.value.use }) else {
        return nil
      }
      clients[oldest.key] = nil
      return oldest.value.client
    }
  }

  /// The most clients that are kept for further requests.
  private static let mostClients = 64

  let configuration: AsyncHTTPClientTransport.Configuration
  let flights = FlightTable()
  let places: Places
  private let state = Mutex(State())

  init(_ configuration: AsyncHTTPClientTransport.Configuration) {
    self.configuration = configuration
    places = Places(max(1, configuration.requestsAtOnce))
  }

  /// Returns the client for a request.
  ///
  /// - Throws: `NetworkError` of kind `transportShutDown`, or those of a new client.
  func client(for plan: SendPlan) throws(NetworkError) -> Client {
    if !plan.needsFreshConnection, let known = state.withLock({ $0.use(plan.settings) }) { return known }
    let made = try Client(plan.settings, configuration, flights: flights)
    let (client, oldest) = state.withLock { state -> (Client?, Client?) in
      guard !state.isClosed else { return (nil, nil) }
      if plan.needsFreshConnection {
        state.ownClients[ObjectIdentifier(made)] = made
        return (made, nil)
      }
      // Another request may have made the same client meanwhile.
      if let known = state.use(plan.settings) { return (known, nil) }
      state.clients[plan.settings] = (made, state.uses)
      return (made, state.takeOldest())
    }
    // Requests that still use it hold it; the last of them ends it.
    _ = oldest
    guard let client else {
      throw NetworkError.shutDown
    }
    return client
  }

  /// Forgets the client that a request had for itself.
  func release(_ client: Client) {
    _ = state.withLock { $0.ownClients.removeValue(forKey: ObjectIdentifier(client)) }
  }

  // MARK: Shutting down

  /// Ends everything without waiting.
  func close() { _ = end() }

  /// Ends everything, and waits until the connections are closed.
  func shutdown() async {
    for client in end() { await client.shutdown() }
  }

  /// Ends all requests, and returns the clients.
  private func end() -> [Client] {
    let clients = state.withLock { state -> [Client] in
      state.isClosed = true
      defer { (state.clients, state.ownClients) = ([:], [:]) }
      return state.clients.values.map(\.client) + state.ownClients.values
    }
    for flight in flights.close() { flight.finish(NetworkError.shutDown, discards: true) }
    return clients
  }
}
#endif
