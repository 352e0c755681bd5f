import FoundationEssentials

/// The problem details that an API sends with an error (RFC 9457), as `application/problem+json` or in another format.
///
/// A member of another type than the RFC's is ignored (§3.1). Members of the API's own are read by a type of the app that has
/// them beside these names.
public struct ProblemDetails: Sendable, Hashable {
  /// The kind of problem, as a URI reference that identifies it; `about:blank` when the status says everything.
  public var type = "about:blank"
  /// A short summary of the kind; nil when there is none.
  public var title: String?
  /// The status as the server that made the problem set it; nil when it is not stated.
  public var status: Int?
  /// What happened this time, for a person; nil when it is not stated.
  public var detail: String?
  /// This occurrence, as a URI reference; nil when it is not stated.
  public var instance: String?

  /// Creates problem details that state nothing.
  public init() {}
}

extension ProblemDetails: Codable {
  private enum Member: String, CodingKey {
    case type, title, status, detail, instance
  }

  /// Reads the members that have the RFC's types.
  ///
  /// - Throws: `DecodingError` for anything but an object.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Member.self)
    func text(_ member: Member) -> String? { (try? members.decodeIfPresent(String.self, forKey: member)) ?? nil }
    type = text(.type) ?? type
    title = text(.title)
    status = (try? members.decodeIfPresent(Int.self, forKey: .status)) ?? nil
    detail = text(.detail)
    instance = text(.instance)
  }

  /// Writes the members that are stated.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(type, forKey: .type)
    try members.encodeIfPresent(title, forKey: .title)
    try members.encodeIfPresent(status, forKey: .status)
    try members.encodeIfPresent(detail, forKey: .detail)
    try members.encodeIfPresent(instance, forKey: .instance)
  }
}
