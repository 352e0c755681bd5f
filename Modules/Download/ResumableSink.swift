public import CurlewCore
public import CurlewLoading
import HTTPTypes

/// A sink that keeps the bytes of a failed attempt and requests only the rest.
///
/// The task of the attempt calls `prepare` with each request before it is sent, and then `open` with the response.
/// `Transfer.Configuration.init(resuming:to:decode:)` connects this.
public protocol ResumableSink: TransferSink {
  /// Returns the request for the missing bytes only, if that is safe.
  ///
  /// - Throws: Any error; the attempt fails with it.
  func prepare(_ request: Request, _ attempt: AttemptContext) async throws -> Request
}

extension Request {
  /// Returns a request whose ranges can be combined.
  ///
  /// It asks for content without a coding, and no cache stores it.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` if the request has its own `Range`.
  func askingForRest(from offset: Int64?, _ validator: EntityValidator?) throws(NetworkError) -> Request {
    guard headerFields[.range] == nil, headerFields[.ifRange] == nil else {
      throw NetworkError(
        .invalidRequest, stage: .preparing, message: "A download asks for ranges itself.",
        advice: "Leave Range and If-Range out."
      ).with { $0.request = self }
    }
    var request = self
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
