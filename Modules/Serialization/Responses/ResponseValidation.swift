public import CurlewCore
public import FoundationEssentials
import HTTPTypes

/// Which responses are taken: by status, by media type, by size.
public struct ResponseValidation: Sendable, Hashable {
  /// The statuses that are taken; nil is all.
  public var statuses: Set<Int>?
  /// The media types that are taken, patterns such as `text/*` and structured suffixes included; nil is all.
  public var mediaTypes: [MediaType]?
  /// The most bytes of a body that are looked at.
  public var maximumBytes: Int

  /// The statuses that mean success, 200…299.
  public static let successful = Set(200...299)

  /// Makes a validation.
  ///
  /// - Parameters:
  ///   - statuses: nil is all.
  ///   - mediaTypes: nil is all.
  ///   - maximumBytes: 0…; 64 MiB unless told.
  public init(
    statuses: Set<Int>? = successful, mediaTypes: [MediaType]? = nil, maximumBytes: Int = 64 << 20
  ) {
    self.statuses = statuses
    self.mediaTypes = mediaTypes
    self.maximumBytes = maximumBytes
  }

  /// Takes everything, up to the default size.
  public static let everything = ResponseValidation(statuses: nil, mediaTypes: nil)

  /// What is wrong with a response; nil when nothing is.
  ///
  /// A bad status stands outermost, with a bad media type as its cause. A response without a media type passes only
  /// when its body is empty; a bad type is an error with an empty body too, but for 204, 205 and 304, which have no body
  /// that the type could be of (RFC 9110 §15). Bytes without a head pass.
  public func check(_ head: ResponseHead?, _ body: Data) -> NetworkError? {
    guard body.count <= maximumBytes else {
      return NetworkError(
        .bodyTooLarge, stage: .validating, message: "The body is larger than \(maximumBytes) bytes."
      ).keeping(head, body)
    }
    guard let head else { return nil }
    let refused = typeRefusal(head, body)
    guard let statuses, !statuses.contains(head.status.code) else { return refused }
    return NetworkError(
      .unacceptableStatus, stage: .validating,
      message: "The server answered \(head.status.code) \(head.status.reasonPhrase).", underlying: refused
    ).keeping(head, body)
  }

  private func typeRefusal(_ head: ResponseHead, _ body: Data) -> NetworkError? {
    guard let mediaTypes else { return nil }
    let type = head.mediaType
    let isBodiless = [204, 205, 304].contains(head.status.code)
    if body.isEmpty, isBodiless || head.headerFields[.contentType] == nil { return nil }
    if let type, mediaTypes.contains(where: { $0.match(type) != nil }) { return nil }
    return NetworkError(
      .unacceptableContentType, stage: .validating,
      message: "The content type \(type?.essence ?? "(none)") is not one of those that are taken."
    ).keeping(head, body)
  }
}
