import CurlewCore
import CurlewJSON
import CurlewRequests
import CurlewSession
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

struct Bird: Codable, Sendable, Hashable {
  var id: Int
  var name: String

  static let curlew = Bird(id: 7, name: "Curlew")
  static let json = #"{"id":7,"name":"Curlew"}"#
}

extension HTTPSession {
  /// A session over a transport, with a base URL and JSON.
  static func birds(
    _ transport: any Transport, _ change: (inout SessionConfiguration) throws -> Void = { _ in }
  ) throws -> HTTPSession {
    try HTTPSession(transport) { configuration in
      configuration.baseURL = try BaseURL("https://birds.test/v1/")
      configuration.coding = .json
      configuration.requestSerializer = .json
      try change(&configuration)
    }
  }
}

/// The error that some work fails with.
func networkError(_ work: () async throws -> Void) async -> NetworkError? {
  do {
    try await work()
    return nil
  } catch {
    return error as? NetworkError
  }
}
