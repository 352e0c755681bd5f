public import CurlewCore
import CurlewRequests
import FoundationEssentials

/// The input of the job `.request`: a request with a small response.
public struct BatchRequest: Sendable, Codable {
  /// The request.
  ///
  /// It can be sent again after a worker has died. A request that is not idempotent should have an `Idempotency-Key`.
  public var request: Request
  /// The most retries; nil uses the job's policy.
  public var retries: Int?

  /// Creates an input.
  public init(_ request: Request) { self.request = request }
}

extension BatchItem {
  /// Creates an item that sends a request, for a worker with the job `.request`.
  ///
  /// The output of the item is the body of the response. The response must have a 2xx status and at most
  /// `BatchLimits.outputBytes` bytes. The item's host is the host of the request.
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
