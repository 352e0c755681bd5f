import CurlewCore
import FoundationEssentials

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
        "its request has credentials; leave them to the loader's authentication, or allow them to be stored with "
          + "includesSecrets")
    }
  }
}

extension BatchError.Kind {
  /// The request of an item has credentials, which may not be stored.
  public static let secretsInItem = BatchError.Kind(rawValue: "secrets-in-item")
}
