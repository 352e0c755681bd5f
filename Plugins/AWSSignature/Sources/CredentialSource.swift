import FoundationEssentials

/// Asks for credentials, once for all requests that wait, and keeps them until shortly before they end.
actor CredentialSource {
  private let provide: @Sendable () async throws -> AWSCredentials
  private var known: AWSCredentials?
  private var running: Task<AWSCredentials, any Error>?

  /// How long before their end credentials are renewed, in seconds.
  private static let leeway = 300.0

  init(_ provide: @escaping @Sendable () async throws -> AWSCredentials) { self.provide = provide }

  /// Returns credentials that are valid at a date.
  ///
  /// If no new ones can be obtained, the present ones are used until they end. A cancelled request only stops waiting.
  func credentials(at date: Date) async throws -> AWSCredentials {
    if let known, Self.time(of: known, from: date) > Self.leeway { return known }
    let task = running ?? begin()
    do {
      let credentials = try await task.value
      try Task.checkCancellation()
      return credentials
    } catch {
      try Task.checkCancellation()
      if let known, Self.time(of: known, from: date) > 0 { return known }
      throw error
    }
  }

  private func begin() -> Task<AWSCredentials, any Error> {
    let task = Task.detached { [provide] in try await provide() }
    running = task
    Task { [self] in
      let renewed = try? await task.value
      end(with: renewed)
    }
    return task
  }

  private func end(with renewed: AWSCredentials?) {
    running = nil
    // Credentials without an end may be others at the next request, such as those in a file.
    if let renewed { known = renewed.expires == nil ? nil : renewed }
  }

  private static func time(of credentials: AWSCredentials, from date: Date) -> Double {
    credentials.expires.map { $0.timeIntervalSince(date) } ?? 0
  }
}
