public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

/// The answer of a `StubTransport`: a head and the steps of a body, or a failure.
///
/// A body that only consists of bytes announces its length by default. If it contradicts an announced length, it ends
/// as on the network: a shorter body fails with `truncatedBody`, and a longer one is cut. `HEAD`, 204 and 304 have no
/// body.
public struct StubAnswer: Sendable {
  /// One step of a body, executed when the body is read.
  public enum Step: Sendable {
    /// A chunk.
    case bytes(Data)
    /// The same chunk repeatedly, produced one by one.
    case repeated(Data, count: Int)
    /// A chunk that is produced when it is read; an error ends the body.
    case made(@Sendable () async throws -> Data)
    /// Waits; an error ends the body. Use it with a `ManualGate`.
    case wait(@Sendable () async throws -> Void)
    /// Ends the body with an error.
    case failure(any Error)
    /// Waits until the transfer is cancelled.
    case stall
  }

  /// The informational heads before the final one.
  public var informational: [HTTPResponse]
  /// The status.
  public var status: HTTPResponse.Status
  /// The version.
  public var version: ResponseHead.Version
  /// The header fields.
  public var headerFields: HTTPFields
  /// The body.
  public var body: [Step]
  /// The trailer fields.
  public var trailers: HTTPFields?
  /// Whether a body of bytes gets a `Content-Length` if it has none.
  public var announcesLength = true
  /// Whether the connection counts as reused.
  ///
  /// It never does if the exchange requires a fresh connection.
  public var connectionReused = false
  /// An error that is thrown instead of returning a head.
  public var failure: (any Error)?

  /// Creates an answer.
  public init(
    _ status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: [Step] = [],
    trailers: HTTPFields? = nil, version: ResponseHead.Version = .http11, informational: [HTTPResponse] = []
  ) {
    self.status = status
    self.headerFields = headerFields
    self.body = body
    self.trailers = trailers
    self.version = version
    self.informational = informational
  }

  /// Returns an answer with a text and its media type.
  public static func text(_ text: String, status: HTTPResponse.Status = .ok) -> StubAnswer {
    StubAnswer(
      status, headerFields: [.contentType: "text/plain; charset=utf-8"], body: [.bytes(Data(text.utf8))])
  }

  /// Returns an answer with a text in JSON.
  ///
  /// ```swift
  /// let stub = StubTransport(.json(#"{"id":7,"name":"Curlew"}"#))
  /// ```
  ///
  /// - Parameter type: The media type, such as `application/problem+json`.
  public static func json(
    _ text: String, status: HTTPResponse.Status = .ok, type: String = "application/json"
  ) -> StubAnswer {
    StubAnswer(status, headerFields: [.contentType: type], body: [.bytes(Data(text.utf8))])
  }

  /// Returns an answer with a value as JSON.
  ///
  /// - Throws: The error of `JSONEncoder`.
  @_disfavoredOverload
  public static func json(
    _ value: some Encodable, status: HTTPResponse.Status = .ok, type: String = "application/json"
  ) throws -> StubAnswer {
    StubAnswer(status, headerFields: [.contentType: type], body: [.bytes(try JSONEncoder().encode(value))])
  }

  /// Returns an answer with bytes, in chunks of a size of at least 1.
  public static func bytes(
    _ bytes: Data, chunkSize: Int = 16_384, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]
  ) -> StubAnswer {
    let size = max(1, chunkSize)
    let chunks = stride(from: 0, to: bytes.count, by: size).map { offset in
      Step.bytes(Data(bytes.dropFirst(offset).prefix(size)))
    }
    return StubAnswer(status, headerFields: headerFields, body: chunks)
  }

  /// Returns an answer that fails before any head.
  public static func failing(_ error: any Error) -> StubAnswer {
    var answer = StubAnswer()
    answer.failure = error
    return answer
  }

  /// The length of a body of bytes; nil if a step may change it.
  var length: Int64? {
    var length: Int64 = 0
    for step in body {
      switch step {
      case .bytes(let data): length += Int64(data.count)
      case .repeated(let data, let count):
        let (bytes, overflow) = Int64(data.count).multipliedReportingOverflow(by: Int64(max(0, count)))
        let (sum, overflows) = length.addingReportingOverflow(bytes)
        if overflow || overflows { return nil }
        length = sum
      case .wait: continue
      case .made, .failure, .stall: return nil
      }
    }
    return length
  }

  /// Returns the head for a request, with the announced length.
  func head(for request: Request) -> ResponseHead {
    var fields = headerFields
    let mayHaveBody = status.code >= 200 && status != .noContent && status != .notModified
    if announcesLength, mayHaveBody, let length, fields[.contentLength] == nil, fields[.transferEncoding] == nil {
      fields[.contentLength] = String(length)
    }
    let hasBody = mayHaveBody && request.method != .head
    if hasBody { return ResponseHead(url: request.url, status: status, version: version, headerFields: fields) }
    return ResponseHead(
      url: request.url, status: status, version: version, headerFields: fields, expectedLength: 0)
  }
}
