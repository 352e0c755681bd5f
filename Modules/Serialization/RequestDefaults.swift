public import CurlewCore
public import FoundationEssentials
public import HTTPTypes

/// What a serializer sets on a request, and where it puts parameters.
///
/// The request takes precedence: a field or an option that it sets stays.
public struct RequestDefaults: Sendable {
  /// Fields for requests that do not set them.
  public var headerFields: HTTPFields = [:]
  /// Options for requests that do not set them.
  ///
  /// The session's options apply where they are unset here, too.
  public var options = RequestOptions()
  /// The methods that carry parameters in the URL.
  ///
  /// `GET`, `HEAD` and `DELETE` by default.
  public var methodsWithParametersInURL: Set<HTTPRequest.Method> = [.get, .head, .delete]
  /// How parameters in the URL are written.
  public var query = QueryEncoding()

  /// Creates defaults that set nothing.
  public init() {}

  /// Returns whether a method carries parameters in the URL, ignoring case.
  public func putsParametersInURL(_ method: HTTPRequest.Method) -> Bool {
    methodsWithParametersInURL.contains(method)
      || methodsWithParametersInURL.contains { $0.rawValue.uppercased() == method.rawValue.uppercased() }
  }

  /// Returns a request with its unset fields and options filled in.
  public func applied(to request: Request) -> Request {
    var request = request
    request.headerFields.appendMissing(from: headerFields)
    request.options = request.options.over(options)
    return request
  }

  /// Fills in the defaults and puts the parameters into the URL or the body.
  ///
  /// - Parameters:
  ///   - mediaType: The `Content-Type` of the body, if the request has none.
  ///   - body: Produces the body; called when there are parameters that do not go into the URL.
  /// - Throws: The errors of `query` and `body`; `NetworkError` of kind `invalidRequest` when there are parameters for
  ///   a body and the request already has one.
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
        message: "The request already has a body.", advice: "Use parameters or a body, not both."
      ).with { $0.request = request }
    }
    request.body = .bytes(try body(parameters))
    request.setContentType(mediaType)
    return request
  }

  /// Fills in the defaults and puts an encodable value into the URL or the body.
  ///
  /// For the URL the value is first converted to parameters; for a body it is encoded directly. A serializer whose format
  /// represents more than `Parameters` calls it.
  ///
  /// - Parameters:
  ///   - mediaType: The `Content-Type` of the body, if the request has none.
  ///   - body: Produces the body; called unless the value goes into the URL.
  /// - Throws: The errors of `query` and `body`, and of converting the value to parameters; `NetworkError` of kind
  ///   `invalidRequest` when the request already has a body and the value does not go into the URL.
  public func encode(
    _ request: Request, value: some Encodable, as mediaType: MediaType, body: () throws -> Data
  ) throws -> Request {
    let parameters = putsParametersInURL(request.method) ? try Parameters(encoding: value) : [:]
    return try encode(request, parameters, as: mediaType) { _ in try body() }
  }
}

extension RequestDefaults {
  /// Sets `Authorization` to Basic credentials in UTF-8 (RFC 7617).
  ///
  /// - Throws: `NetworkError` of kind `invalidRequest` when the user name contains a colon, or the name or the password
  ///   contains a control character.
  public mutating func setAuthorization(user: String, password: String) throws(NetworkError) {
    let isClean = (user + password).unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    // The check is by bytes: Swift sees a colon and a combining mark as one other character, but its colon still ends the
    // name.
    guard isClean, !user.utf8.contains(UInt8(ascii: ":")) else {
      throw NetworkError(
        .invalidRequest, stage: .preparing,
        message: "The user name must not contain a colon, and neither name nor password a control character (RFC 7617)."
      )
    }
    headerFields[.authorization] = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }

  /// Removes `Authorization`.
  public mutating func clearAuthorization() { headerFields[.authorization] = nil }

  /// Sets `Accept-Language`, the preferred language first.
  ///
  /// At most six languages are sent, with qualities from 1 down to 0.5 (`de;q=1, en;q=0.9`). Invalid language tags (RFC 5646
  /// §2.1) are omitted.
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

  /// Sets `User-Agent` to `Name/1.2 (comment)` (RFC 9110 §10.1.5).
  ///
  /// Only printable ASCII is sent; other characters, and those that are not allowed in a product name, are omitted.
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

extension HTTPFields {
  /// Appends those of the default fields whose names are not yet present, in order.
  package mutating func appendMissing(from defaults: HTTPFields) {
    guard !defaults.isEmpty else { return }
    guard !isEmpty else {
      self = defaults
      return
    }
    let own = self
    for field in defaults where !own.has(field.name) { append(field) }
  }
}

extension RequestDefaults: CustomReflectable {
  /// The defaults without the secrets of the fields.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "headerFields": Redaction.lines(of: headerFields), "options": options,
        "methodsWithParametersInURL": methodsWithParametersInURL, "query": query,
      ])
  }
}
