public import CurlewCore
import CurlewSerialization
import FoundationEssentials

/// The problem details that an API sends with an error (RFC 9457).
///
/// Their format is `application/problem+json` or another one. A member whose type differs from the RFC's is ignored (§3.1). To
/// read further members of an API, declare a type that has them beside these.
public struct ProblemDetails: Sendable, Hashable {
  /// The kind of problem, as a URI reference; by default `about:blank`.
  ///
  /// `about:blank` means that the status says everything.
  public var type = "about:blank"
  /// A short summary of the kind; nil if absent.
  public var title: String?
  /// The status according to the server that created the problem; nil if absent.
  public var status: Int?
  /// A description of this occurrence for people; nil if absent.
  public var detail: String?
  /// A URI reference for this occurrence; nil if absent.
  public var instance: String?

  /// Creates problem details without any members.
  public init() {}
}

extension ProblemDetails: Codable {
  private enum Member: String, CodingKey {
    case type, title, status, detail, instance
  }

  /// Reads the members whose types are the RFC's.
  ///
  /// - Throws: `DecodingError` for anything except an object.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    func text(_ member: Member) -> String? { (try? members.decodeIfPresent(String.self, forKey: member)) ?? nil }
    type = text(.type) ?? type
    title = text(.title)
    status = (try? members.decodeIfPresent(Int.self, forKey: .status)) ?? nil
    detail = text(.detail)
    instance = text(.instance)
  }

  /// Writes the members that are set.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(type, forKey: .type)
    try members.encodeIfPresent(title, forKey: .title)
    try members.encodeIfPresent(status, forKey: .status)
    try members.encodeIfPresent(detail, forKey: .detail)
    try members.encodeIfPresent(instance, forKey: .instance)
  }
}

extension NetworkError {
  /// Returns the body of a refused response, decoded in the format of the session that it is in, or in the session's first one.
  ///
  /// APIs describe an error in the body of the response:
  ///
  /// ```swift
  /// do {
  ///   let bird: Bird = try await session.get("birds/7")
  /// } catch let error as NetworkError where error.status == .notFound {
  ///   print(error.decodedBody(as: ProblemDetails.self)?.detail ?? "There is no such bird.")
  /// }
  /// ```
  ///
  /// Nil if the response was not refused, if its body is not such a value, such as a proxy's page of HTML, or if the session has
  /// no format. An error keeps the first 64 KB of a body, so a longer value is nil, too. For another format, and to learn why a body
  /// cannot be decoded, use `refusedValue(_:)`.
  public func decodedBody<Value: Decodable>(as type: Value.Type) -> Value? {
    guard kind == .unacceptableStatus || kind == .unacceptableContentType, let body = details.responseBody,
      let formats = details.coding as? FormatRegistry,
      let format = (try? formats.format(of: details.response, body)) ?? formats.first
    else { return nil }
    return try? format.decode(type, from: body, details.response)
  }
}
