public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Checks heads before any part of the body is stored.
public enum TransferValidation {
  /// The default for how much of a rejected response's body an error keeps, in bytes.
  public static let errorBodyLimit = 65_536

  /// Accepts a 2xx status.
  ///
  /// - Throws: `unacceptableStatus`.
  public static func successStatus(_ head: ResponseHead) throws(NetworkError) {
    guard head.status.kind != .successful else { return }
    throw NetworkError(
      .unacceptableStatus, stage: .validating, message: "The server answered \(head.status.words)."
    ).with { details in
      details.response = head
      details.maybeProcessed = true
    }
  }
}

extension NetworkError {
  /// Returns the error with the start of a rejected response's body.
  ///
  /// The rest of the body is cancelled.
  package func withStart(of body: ResponseBody, upTo limit: Int) async -> NetworkError {
    let limit = min(limit, NetworkError.keptBodyBytes)
    guard limit > 0 else { return self }
    var start = Data()
    do {
      var iterator = body.makeAsyncIterator()
      while start.count < limit, let chunk = try await iterator.next() {
        start.append(chunk.prefix(limit - start.count))
      }
    } catch {
      // If reading the body fails, its start is enough: the rejection matters more than that failure.
    }
    body.cancel()
    return with { $0.responseBody = start }
  }
}
