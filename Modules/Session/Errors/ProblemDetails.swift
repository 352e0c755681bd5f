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
