public import CurlewCore
public import FoundationEssentials
import HTTPTypes

/// Which responses are accepted, by status, media type and size.
public struct ResponseValidation: Sendable, Hashable {
  /// The accepted statuses; nil accepts all.
  public var statuses: Set<Int>?
  /// The accepted media types; nil accepts all.
  ///
  /// They may be patterns such as `text/*`, and include structured suffixes.
  public var mediaTypes: [MediaType]?
  /// The maximum size of a body in bytes.
  public var maximumBytes: Int

  /// The statuses that mean success: 200 to 299.
  public static let successful = Set(200...299)

  /// Creates a validation.
  ///
  /// - Parameters:
  ///   - statuses: The accepted statuses; nil accepts all.
  ///   - mediaTypes: The accepted media types; nil accepts all.
  ///   - maximumBytes: The maximum size of a body in bytes, 0 or more; 64 MiB by default.
  public init(
    statuses: Set<Int>? = successful, mediaTypes: [MediaType]? = nil, maximumBytes: Int = 64 << 20
  ) {
    self.statuses = statuses
    self.mediaTypes = mediaTypes
    self.maximumBytes = maximumBytes
  }

  /// Accepts everything up to the default size.
  public static let everything = ResponseValidation(statuses: nil, mediaTypes: nil)

  /// Returns the error for a response; nil when it is acceptable.
  ///
  /// A bad status is the outer error, with a bad media type as its cause. A response without a media type passes only when its
  /// body is empty. A bad type is an error even with an empty body, except for 204, 205 and 304, which have no body (RFC 9110
  /// §15). Without a head, only the size is checked.
  public func check(_ head: ResponseHead?, _ body: Data) -> NetworkError? {
    guard body.count <= maximumBytes else { return tooLarge.keeping(head, body) }
    guard let head else { return nil }
    let type = typeRefusal(head, body.isEmpty ? .empty : .present)?.keeping(head, body)
    return refusal(head, type)?.keeping(head, body)
  }

  /// Returns the error for a response before its body is read; nil to read the body.
  ///
  /// It only rejects what `check(_:_:)` would reject with any body, so a response that passes here is checked again with
  /// its body. An announced length above `maximumBytes` is an error, too; a bad status or media type takes precedence.
  public func check(_ head: ResponseHead) -> NetworkError? {
    if let refusal = refusal(head, typeRefusal(head, .unread)?.keeping(head)) { return refusal.keeping(head) }
    guard let length = head.expectedLength, length > Int64(maximumBytes) else { return nil }
    return tooLarge.keeping(head)
  }

  /// Returns what `check(_:_:)` returns, for a head that has passed `check(_:)`.
  ///
  /// It is faster, because it does not check the status and the type again.
  package func check(passed head: ResponseHead, _ body: Data) -> NetworkError? {
    // The head was accepted, so only a missing type, which is allowed without a body, can still be an error.
    let isAccepted = body.count <= maximumBytes && (body.isEmpty || !Self.mayLackType(head))
    return isAccepted ? nil : check(head, body)
  }

  /// What is known about a body.
  private enum Content {
    case empty, present, unread
  }

  private var tooLarge: NetworkError {
    NetworkError(.bodyTooLarge, stage: .validating, message: "The body is larger than \(maximumBytes) bytes.")
  }

  private func refusal(_ head: ResponseHead, _ typeRefusal: NetworkError?) -> NetworkError? {
    guard let statuses, !statuses.contains(head.status.code) else { return typeRefusal }
    return NetworkError(
      .unacceptableStatus, stage: .validating,
      message: "The server answered \(head.status.words).", underlying: typeRefusal)
  }

  /// Whether a response without content may omit its media type.
  private static func mayLackType(_ head: ResponseHead) -> Bool {
    switch head.status.code {
    case 204, 205, 304: true
    default: !head.headerFields.has(.contentType)
    }
  }

  private func typeRefusal(_ head: ResponseHead, _ content: Content) -> NetworkError? {
    guard let mediaTypes else { return nil }
    let type = head.mediaType
    if content != .present, Self.mayLackType(head) { return nil }
    if let type, mediaTypes.contains(where: { $0.match(type) != nil }) { return nil }
    return NetworkError(
      .unacceptableContentType, stage: .validating,
      message: "The content type \(type?.essence ?? "(none)") is not among the accepted types "
        + "(\(mediaTypes.map(\.essence).joined(separator: ", "))).")
  }
}

extension NetworkError {
  /// Decodes the body of a rejected response, such as an API's error report.
  ///
  /// The serializer checks the media type and the size, but not the status again.
  ///
  /// ```swift
  /// let problem = try error.refusedValue(.json(Problem.self))
  /// ```
  ///
  /// - Throws: This error, if it has no response or no body; otherwise the same errors as `ResponseSerializer.output`. A body
  ///   longer than `keptBodyBytes` is truncated.
  public func refusedValue<Serializer: ResponseSerializer>(
    _ serializer: Serializer
  ) throws(NetworkError) -> Serializer.Output {
    guard let head = details.response, let body = details.responseBody else { throw self }
    var validation = serializer.validation
    validation.statuses = nil
    if let refusal = validation.check(head, body) { throw refusal }
    return try serializer.value(of: head, body)
  }

  /// This error with a response whose body was not read.
  func keeping(_ head: ResponseHead) -> NetworkError {
    with { details in
      details.response = head
      details.maybeProcessed = true
    }
  }

  /// Returns this error with a response and a bounded copy of its body.
  func keeping(_ head: ResponseHead?, _ body: Data) -> NetworkError {
    with { details in
      details.response = head ?? details.response
      details.responseBody = body.prefix(NetworkError.keptBodyBytes)
      details.maybeProcessed = true
    }
  }
}
