import CurlewAWSSignature
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Sends requests through an interceptor to a function instead of a server.
final class Sent: Sendable {
  private let list = Mutex<[Request]>([])
  var requests: [Request] { list.withLock { $0 } }

  /// Returns what an interceptor sends for a request.
  ///
  /// - Parameter answer: Answers the request with the given number, from 1.
  @discardableResult
  func send(
    _ request: Request, through signature: AWSSignature, clock: any NetworkClock,
    answer: @escaping @Sendable (Int, Request) throws -> ResponseHead = { _, request in
      ResponseHead(url: request.url, status: .ok)
    }
  ) async throws -> Response {
    var settings = ExchangeSettings()
    settings.clock = clock
    let next = Next([signature]) { [self] request, _ in
      let number = list.withLock { list in
        list.append(request)
        return list.count
      }
      return Response(head: try answer(number, request), body: ResponseBody(Data()))
    }
    return try await next(request, in: Exchange(settings))
  }
}

extension AWSCredentials {
  /// The key of AWS's own examples.
  static let example = AWSCredentials(
    accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
}

extension Request {
  subscript(field name: String) -> String? { HTTPField.Name(name).flatMap { headerFields[$0] } }
}
