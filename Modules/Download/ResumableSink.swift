public import CurlewCore
public import CurlewLoading
import HTTPTypes

/// A sink that keeps the bytes of an attempt that failed, and asks the next one for the rest alone.
///
/// `prepare` is called by the attempt's task with each request, before it is sent; then `open` gets the response. An error
/// for which `RangeRestart.isAsked(by:)` answers true asks for another attempt at once, which is no retry;
/// `Transfer.Configuration.init(resuming:to:decode:)` wires all of it.
public protocol ResumableSink: TransferSink {
  /// Returns the request with what asks for the missing bytes alone, where that is safe.
  ///
  /// - Throws: Any error; the attempt fails with exactly that.
  func prepare(_ request: Request, _ attempt: AttemptContext) async throws -> Request
}

/// The errors by which a resumable sink asks for another attempt at once.
public enum RangeRestart {
  /// Whether an error of a resumable sink asks to try again at once: without a range, since one was of no use, or for what is
  /// still missing.
  public static func isAsked(by error: (any Error)?) -> Bool {
    guard let cause = (error as? NetworkError)?.details.underlying else { return false }
    return cause is DownloadError.Useless || cause is DownloadError.Unfinished
  }

  /// Returns a request that wants content without a coding, kept by no cache: the form in which ranges can be joined.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` where the request has a `Range` of its own.
  static func prepared(
    _ request: Request, from offset: Int64?, _ validator: EntityValidator?
  ) throws(NetworkError) -> Request {
    guard request.headerFields[.range] == nil, request.headerFields[.ifRange] == nil else {
      throw NetworkError(
        .invalidRequest, stage: .preparing, message: "A download asks for ranges itself; leave Range and If-Range out."
      ).with { $0.request = request }
    }
    var request = request
    request.headerFields[.acceptEncoding] = "identity"
    // What comes coded all the same is decoded, by a chain that can.
    request.options.decodesContent = true
    request.options.cachePolicy = .noStore
    guard let offset, let validator, let range = ByteRange(from: offset) else { return request }
    request.headerFields[.range] = "bytes=\(range)"
    request.headerFields[.ifRange] = validator.fieldValue
    return request
  }
}

extension Transfer.Configuration {
  /// Makes a configuration whose attempts go on where the last one stopped.
  ///
  /// - Parameters:
  ///   - request: Returns the request of an attempt, without `Range`.
  ///   - sink: Keeps the bytes from one attempt to the next.
  ///   - decode: Makes the value.
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
  /// Three retries after each byte of progress, so that a long download over a bad line ends when the line is dead and not
  /// before.
  public static var resuming: RetryPolicy {
    var policy = RetryPolicy(limit: 3)
    policy.startsOverWithProgress = true
    return policy
  }
}
