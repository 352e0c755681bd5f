public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

/// What a `StubTransport` answers: a head and the steps of a body, or a failure.
///
/// A body made of bytes alone announces its length unless told otherwise. What contradicts an announced length ends as
/// on the wire: a shorter body in `truncatedBody`, a longer one is cut. `HEAD`, 204 and 304 have no body.
public struct StubAnswer: Sendable {
  /// One step of a body, taken when the body is pulled.
  public enum Step: Sendable {
    /// A chunk.
    case bytes(Data)
    /// The same chunk so many times, made one by one.
    case repeated(Data, count: Int)
    /// A chunk that is made when it is pulled; what it throws ends the body.
    case made(@Sendable () async throws -> Data)
    /// Waits; what it throws ends the body. `ManualGate` fits.
    case wait(@Sendable () async throws -> Void)
    /// Ends the body with an error.
    case failure(any Error)
    /// Waits until the transfer is cancelled.
    case stall
  }

  /// Informational heads that come first.
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
  /// Whether a body of bytes alone gets a `Content-Length`, where there is none.
  public var announcesLength = true
  /// Whether the connection had been used before; never when the exchange requires a fresh one.
  public var connectionReused = false
  /// Thrown in place of a head.
  public var failure: (any Error)?

  /// Makes an answer.
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

  /// Text, with its media type.
  public static func text(_ text: String, status: HTTPResponse.Status = .ok) -> StubAnswer {
    StubAnswer(
      status, headerFields: [.contentType: "text/plain; charset=utf-8"], body: [.bytes(Data(text.utf8))])
  }

  /// Bytes, in chunks of a size, at least 1.
  public static func bytes(
    _ bytes: Data, chunkSize: Int = 16_384, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]
  ) -> StubAnswer {
    let size = max(1, chunkSize)
    let chunks = stride(from: 0, to: bytes.count, by: size).map { offset in
      Step.bytes(Data(bytes.dropFirst(offset).prefix(size)))
    }
    return StubAnswer(status, headerFields: headerFields, body: chunks)
  }

  /// A failure before any head.
  public static func failing(_ error: any Error) -> StubAnswer {
    var answer = StubAnswer()
    answer.failure = error
    return answer
  }

  /// The length of a body of bytes alone; nil when a step may change it.
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

  /// The head for a request, with the length it announces.
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
