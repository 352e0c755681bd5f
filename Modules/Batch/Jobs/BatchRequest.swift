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

/// Encodes requests for the inputs of items.
enum StoredRequest {
  /// An encoder that includes secrets, for requests that `check` has accepted.
  ///
  /// Its keys are sorted: equal items must have equal inputs in every process, and the order of a dictionary differs from
  /// process to process.
  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.userInfo[.includesSecrets] = true
    return encoder
  }

  /// Throws if a request has secrets that may not be stored with its item.
  ///
  /// Without this check, the request would later be sent without its credentials.
  static func check(_ request: Request, of item: String, includesSecrets: Bool) throws(BatchError) {
    guard !includesSecrets else { return }
    let redaction = Redaction.standard
    guard redaction.redacted(request.headerFields) == request.headerFields,
      redaction.redacted(request.url) == request.url.absoluteString
    else {
      throw BatchError(
        .secretsInItem, item: item,
        "its request has credentials; leave them to the header fields of the batch's session or to the loader's authentication, "
          + "or allow them to be stored with includesSecrets")
    }
  }
}

extension BatchError.Kind {
  /// The request of an item has credentials, which may not be stored.
  public static let secretsInItem = BatchError.Kind(rawValue: "secrets-in-item")
}
