import Curlew

/// A client of the bird API: typed calls, signed in, with the server's problem details in its errors.
struct BirdAPI: Sendable {
  private let session: HTTPSession

  /// Creates a client.
  ///
  /// - Throws: `NetworkError` of kind `invalidURL` for an invalid base URL.
  init(baseURL: String, refreshToken: String) throws {
    let plain = try HTTPSession(baseURL: baseURL)
    let signIn = SignIn(plain, refreshToken: refreshToken)
    // Only this origin is ever sent the token, wherever a redirect leads.
    let tokens = TokenSource(for: [try BaseURL(baseURL).origin]) { _ in try await signIn.renew() }
    session = plain.with { configuration in
      configuration.chain.authentication = Authentication(tokens: [tokens])
      configuration.retry = RetryPolicy(limit: 3)
    }
  }

  func bird(_ id: Int) async throws -> Bird { try await session.value(of: GetBird(id: id)) }

  func birds(in place: String) async throws -> [Bird] { try await session.value(of: ListBirds(place: place)) }

  func add(_ bird: Bird) async throws -> Bird { try await session.value(of: AddBird(bird: bird)) }

  func remove(_ id: Int) async throws { try await session.value(of: RemoveBird(id: id)) }
}
