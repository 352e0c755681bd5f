public import CurlewCore
import CurlewRequests
import FoundationEssentials

/// The input of the job `.request`: a request whose response is small.
public struct BatchRequest: Sendable, Codable {
  /// The request. It may be sent again when a worker dies; one that is not idempotent should have an `Idempotency-Key`.
  public var request: Request
  /// How many retries may follow; nil leaves it to the job's policy.
  public var retries: Int?

  /// Creates an input.
  public init(_ request: Request) { self.request = request }
}

extension BatchItem {
  /// Makes an item that sends a request, for a worker with the job `.request`. Its output is the body of the response, which must
  /// have a status of 2xx and at most `BatchLimits.outputBytes` bytes. Its host is the request's.
  ///
  /// - Parameters:
  ///   - name: The name of the item.
  ///   - request: The request.
  ///   - dependencies: The names of the items that must succeed first.
  ///   - includesSecrets: Whether credentials in the request may be stored with the item.
  /// - Throws: `BatchError` of kind `secretsInItem` for a request with credentials, unless they may be stored; `NetworkError` for a
  ///   body that cannot be stored (`RequestArchive`).
  public static func request(
    _ name: String, _ request: Request, after dependencies: [String] = [], includesSecrets: Bool = false
  ) throws -> BatchItem {
    try StoredRequest.check(request, of: name, includesSecrets: includesSecrets)
    return BatchItem(
      name, job: .request, input: try StoredRequest.encoder.encode(BatchRequest(request)), dependencies: dependencies,
      host: try? request.origin.host)
  }
}
