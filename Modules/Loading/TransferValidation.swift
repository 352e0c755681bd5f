public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Looks at heads before anything of the body is stored.
public enum TransferValidation {
  /// How much of the body of a refused response an error carries when nothing is said.
  public static let errorBodyLimit = 65_536

  /// Accepts 2xx.
  ///
  /// - Throws: `unacceptableStatus`.
  public static func successStatus(_ head: ResponseHead) throws(NetworkError) {
    guard head.status.kind != .successful else { return }
    throw NetworkError(
      .unacceptableStatus, stage: .validating, message: "The server answered \(head.status)."
    ).with { details in
      details.response = head
      details.maybeProcessed = true
    }
  }
}

extension NetworkError {
  /// The error with the start of a refused response's body; the rest is dropped.
  func withStart(of body: ResponseBody, upTo limit: Int) async -> NetworkError {
    let limit = min(limit, NetworkError.keptBodyBytes)
    guard limit > 0 else { return self }
    var start = Data()
    do {
      var iterator = body.makeAsyncIterator()
      while start.count < limit, let chunk = try await iterator.next() {
        start.append(chunk.prefix(limit - start.count))
      }
    } catch {
      // What came of the refused body is all there is; why it was refused matters more than why it ended.
    }
    body.cancel()
    return with { $0.responseBody = start }
  }
}
