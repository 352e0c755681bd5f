import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewURLSessionTransport

/// Which transport carries the requests: the one place where the tool knows any by name.
enum TransportChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
  case curl
  case urlsession

  /// Starts a transport that puts up to `parallel` requests on the wire at once.
  ///
  /// - Throws: `NetworkError`.
  func make(parallel: Int) throws -> any Transport {
    switch self {
    case .curl:
      var configuration = CurlTransport.Configuration()
      configuration.requestsPerOrigin = max(configuration.requestsPerOrigin, parallel)
      configuration.connectionsKept = max(configuration.connectionsKept, parallel)
      return try CurlTransport(configuration)
    case .urlsession:
      return URLSessionTransport()
    }
  }
}
