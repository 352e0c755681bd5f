import Curlew

/// A bird that somebody saw.
struct Sighting: Codable, Equatable, Sendable {
  var bird: String
  var count: Int
}

/// The client that the tests are about: it reads sightings and records new ones.
struct SightingLog: Sendable {
  private let session: HTTPSession

  /// Creates a log; the session has the base URL and the transport, which a test replaces.
  init(_ session: HTTPSession) {
    self.session = session.with { $0.retry = RetryPolicy(limit: 2) }
  }

  func all() async throws -> [Sighting] { try await session.get("sightings") }

  /// Records a sighting, once.
  ///
  /// A `POST` that the server may have processed is not repeated: the error says so (`maybeProcessed`).
  func record(_ sighting: Sighting) async throws { try await session.post("sightings", .json(sighting)) }
}
