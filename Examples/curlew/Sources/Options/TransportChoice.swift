import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewURLSessionTransport

/// Which transport carries the requests: the one place where the tool knows any by name.
enum TransportChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
  case curl
  case urlsession

  func make() throws -> any Transport {
    switch self {
    case .curl: try CurlTransport()
    case .urlsession: URLSessionTransport()
    }
  }
}
