public import CurlewCore
public import CurlewLoading
import HTTPTypes

/// A sink that keeps the bytes of a failed attempt and requests only the rest.
///
/// The task of the attempt calls `prepare` with each request before it is sent, and then `open` with the response. If
/// `RangeRestart.isAsked(by:)` is true for an error, another attempt begins at once, which does not count as a retry.
/// `Transfer.Configuration.init(resuming:to:decode:)` connects all of this.
public protocol ResumableSink: TransferSink {
  /// Returns the request for the missing bytes only, if that is safe.
  ///
  /// - Throws: Any error; the attempt fails with it.
  func prepare(_ request: Request, _ attempt: AttemptContext) async throws -> Request
}

/// The errors with which a resumable sink requests another attempt at once.
package enum RangeRestart {
  /// Returns whether an error of a resumable sink requests another attempt at once.
  ///
  /// That attempt requests the whole file because a range was useless, or requests the bytes that are still missing.
  package static func isAsked(by error: (any Error)?) -> Bool {
    guard let cause = (error as? NetworkError)?.details.underlying else { return false }
    return cause is DownloadError.Useless || cause is DownloadError.Unfinished
  }

  /// Returns a request whose ranges can be combined.
  ///
  /// It asks for content without a coding, and no cache stores it.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` if the request has its own `Range`.
  static func prepared(
    _ request: Request, from offset: Int64?, _ validator: EntityValidator?
  ) throws(NetworkError) -> Request {
    guard request.headerFields[.range] == nil, request.headerFields[.ifRange] == nil else {
      throw NetworkError(
        .invalidRequest, stage: .preparing, message: "A download asks for ranges itself.",
        advice: "Leave Range and If-Range out."
      ).with { $0.request = request }
    }
    var request = request
    request.headerFields[.acceptEncoding] = "identity"
    // If the response is coded nevertheless, decode it if the chain can.
    request.options.decodesContent = true
    request.options.cachePolicy = .noStore
    guard let offset, let validator, let range = ByteRange(from: offset) else { return request }
    request.headerFields[.range] = "bytes=\(range)"
    request.headerFields[.ifRange] = validator.fieldValue
    return request
  }
}

extension Transfer.Configuration {
  /// Creates a configuration whose attempts resume where the last one stopped.
  ///
  /// - Parameters:
  ///   - request: Returns the request of an attempt, without `Range`.
  ///   - sink: Keeps the bytes from one attempt to the next.
  ///   - decode: Returns the value.
  public init(
    resuming request: @escaping @Sendable (AttemptContext) async throws -> Request, to sink: some ResumableSink,
    decode: @escaping @Sendable (TransferResult) async throws -> Value
  ) {
    self.init(
      request: { attempt in try await sink.prepare(try await request(attempt), attempt) }, to: sink, decode: decode)
    shouldRetry = { attempt, _ in RangeRestart.isAsked(by: attempt.error) ? .restart : .byPolicy }
  }
}

extension RetryPolicy {
  /// A policy for resumable downloads: three retries after each byte of progress.
  ///
  /// A long download over a bad line therefore ends only when the line is dead.
  public static var resuming: RetryPolicy {
    var policy = RetryPolicy(limit: 3)
    policy.startsOverWithProgress = true
    return policy
  }
}
