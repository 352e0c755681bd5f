public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

/// What a request serializer sets beside the parameters, and where it puts these.
///
/// All of it gives way to what the request has already: a field that is there stays, an option that is set stays.
public struct RequestDefaults: Sendable {
  /// Fields for requests that do not have them.
  public var headerFields: HTTPFields = [:]
  /// Options for requests that leave them unset; those unset here too fall through to the session.
  public var options = RequestOptions()
  /// The methods whose parameters go into the URL, unless told `GET`, `HEAD` and `DELETE`.
  public var methodsWithParametersInURL: Set<HTTPRequest.Method> = [.get, .head, .delete]
  /// How parameters in the URL are written.
  public var query = QueryEncoding()

  /// Sets nothing.
  public init() {}

  /// Whether the parameters of a method go into the URL; the method's letters in any case.
  public func putsParametersInURL(_ method: HTTPRequest.Method) -> Bool {
    methodsWithParametersInURL.contains(method)
      || methodsWithParametersInURL.contains { $0.rawValue.uppercased() == method.rawValue.uppercased() }
  }

  /// A request with what it leaves open filled in.
  public func applied(to request: Request) -> Request {
    var request = request
    for name in Set(headerFields.map(\.name)) where request.headerFields[fields: name].isEmpty {
      request.headerFields[fields: name] = headerFields[fields: name]
    }
    request.options = request.options.over(options)
    return request
  }

  /// The frame of a serializer: fills in what is open, and puts the parameters into the URL or the body.
  ///
  /// - Parameters:
  ///   - mediaType: The `Content-Type` of a body, where the request has none.
  ///   - body: Makes the body; called when there are parameters that do not go into the URL.
  /// - Throws: What `query` and `body` throw; `NetworkError` of kind `invalidRequest` when there are parameters for a
  ///   body and the request has one already.
  public func encode(
    _ request: Request, _ parameters: Parameters?, as mediaType: MediaType, body: (Parameters) throws -> Data
  ) throws -> Request {
    var request = applied(to: request)
    guard let parameters else { return request }
    guard !putsParametersInURL(request.method) else {
      request.url = try request.url.appendingQuery(try query.string(parameters))
      return request
    }
    guard request.body.isEmpty else {
      throw NetworkError(
        .invalidRequest, stage: .preparing,
        message: "The request has a body already; give it parameters or a body, not both."
      ).with { $0.request = request }
    }
    request.body = .bytes(try body(parameters))
    request.setContentType(mediaType)
    return request
  }

  /// The same for any encodable value: what would go into the URL is made parameters first, a body is made of the value.
  package func encode(
    _ request: Request, value: some Encodable, as mediaType: MediaType, body: () throws -> Data
  ) throws -> Request {
    let parameters = putsParametersInURL(request.method) ? try Parameters(encoding: value) : [:]
    return try encode(request, parameters, as: mediaType) { _ in try body() }
  }
}

extension RequestDefaults {
  /// Answers every request with a user name and a password, as Basic has it (RFC 7617), in UTF-8.
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` when the name holds a colon, or either a control character.
  public mutating func setAuthorization(user: String, password: String) throws(NetworkError) {
    let isClean = (user + password).unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    // By bytes: with a mark behind it a colon is another character, and still ends the name.
    guard isClean, !user.utf8.contains(UInt8(ascii: ":")) else {
      throw NetworkError(
        .invalidRequest, stage: .preparing,
        message: "A user name for Basic has no colon, and neither name nor password a control character.")
    }
    headerFields[.authorization] = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }

  /// Takes the authorization back.
  public mutating func clearAuthorization() { headerFields[.authorization] = nil }

  /// Asks for languages, the most wanted first: `de;q=1, en;q=0.9` down to 0.5, at most six.
  ///
  /// What is no language tag (RFC 5646 §2.1) is left out.
  public mutating func setLanguages(_ tags: [String]) {
    let tags = tags.filter { tag in
      !tag.isEmpty && tag.utf8.count <= 64
        && tag.utf8.allSatisfy { byte in
          UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "*")
        }
    }
    let ranges = tags.prefix(6).enumerated().map { index, tag in
      "\(tag);q=\(QualityValue(thousandths: 1000 - 100 * index))"
    }
    headerFields[.acceptLanguage] = ranges.isEmpty ? nil : ranges.joined(separator: ", ")
  }

  /// Names the program, as `Name/1.2 (comment)` (RFC 9110 §10.1.5).
  ///
  /// Only printable ASCII is sent: other characters, and those that a product's name may not hold, are left out.
  public mutating func setUserAgent(product: String, version: String? = nil, comment: String? = nil) {
    let name = Self.token(product)
    guard !name.isEmpty else {
      headerFields[.userAgent] = nil
      return
    }
    var value = name
    if let version = version.map(Self.token), !version.isEmpty { value += "/" + version }
    let comment = String(
      String.UnicodeScalarView(
        (comment ?? "").unicodeScalars.filter { (" "..."~").contains($0) && !["(", ")", "\\"].contains($0) }))
    if !comment.isEmpty { value += " (\(comment))" }
    headerFields[.userAgent] = value
  }

  private static func token(_ text: String) -> String {
    let allowed = Set("!#$%&'*+-.^_`|~".unicodeScalars)
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { scalar in
          ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
            || allowed.contains(scalar)
        }))
  }
}
