public import FoundationEssentials
public import HTTPTypes

/// What observers, descriptions and logs are not shown.
///
/// Done once, in `Exchange.emit`: an observer gets the redacted form unless it asks for secrets.
public struct Redaction: Sendable {
  /// Names of fields whose value is hidden.
  public var fields: Set<HTTPField.Name>
  /// Names of query items whose value is hidden, lower case.
  public var queryItems: Set<String>

  /// Hides what is named.
  public init(fields: Set<HTTPField.Name>, queryItems: Set<String>) {
    self.fields = fields
    self.queryItems = queryItems
  }

  /// What stands in for a secret.
  public static let mark = "<redacted>"

  /// Credentials, cookies and the usual names of tokens and keys.
  public static let standard = Redaction(
    fields: Set(
      [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate", "proxy-authenticate",
        "authentication-info", "proxy-authentication-info", "x-api-key", "api-key", "x-auth-token", "x-csrf-token",
        "x-amz-security-token",
      ].compactMap { HTTPField.Name($0) }),
    queryItems: [
      "access_token", "refresh_token", "id_token", "token", "api_key", "apikey", "key", "secret", "client_secret",
      "password", "passwd", "signature", "sig", "code", "x-amz-signature", "x-amz-credential", "x-amz-security-token",
    ])

  /// The fields with secrets replaced.
  public func redacted(_ headerFields: HTTPFields) -> HTTPFields {
    guard headerFields.contains(where: { fields.contains($0.name) }) else { return headerFields }
    return HTTPFields(
      headerFields.map { field in
        fields.contains(field.name) ? HTTPField(name: field.name, value: Self.mark) : field
      })
  }

  /// The URL as text, without user information and with the values of secret query items replaced.
  public func redacted(_ url: URL) -> String {
    var text = url.absoluteString
    if url.user(percentEncoded: true) != nil || url.password(percentEncoded: true) != nil,
      let start = text.firstRange(of: "://"), let at = authorityEnd(text[start.upperBound...])
    {
      text.replaceSubrange(start.upperBound..<at, with: Self.mark + "@")
    }
    guard let question = text.firstIndex(of: "?") else { return text }
    let head = text[...question]
    var query = text[text.index(after: question)...]
    var fragment = Substring()
    if let hash = query.firstIndex(of: "#") {
      fragment = query[hash...]
      query = query[..<hash]
    }
    let items = query.split(separator: "&", omittingEmptySubsequences: false).map { item -> String in
      guard let equals = item.firstIndex(of: "=") else { return String(item) }
      let name = item[..<equals].lowercased()
      return queryItems.contains(name) ? item[...equals] + Self.mark : String(item)
    }
    return head + items.joined(separator: "&") + fragment
  }

  /// The place behind the last `@` of an authority.
  private func authorityEnd(_ rest: Substring) -> String.Index? {
    let authority = rest.prefix { !"/?#".contains($0) }
    return authority.lastIndex(of: "@").map { rest.index(after: $0) }
  }

  /// The request with secrets replaced; the body is left out.
  public func redacted(_ request: Request) -> Request {
    var request = request
    request.headerFields = redacted(request.headerFields)
    request.url = URL(string: redacted(request.url)) ?? request.url
    request.body = .empty
    return request
  }

  /// The head with secrets replaced.
  public func redacted(_ head: ResponseHead) -> ResponseHead {
    var head = head
    head.headerFields = redacted(head.headerFields)
    head.url = URL(string: redacted(head.url)) ?? head.url
    return head
  }

  /// The error with secrets replaced.
  public func redacted(_ error: any Error) -> any Error {
    guard let error = error as? NetworkError else { return error }
    return error.with { details in
      details.request = details.request.map { redacted($0) }
      details.response = details.response.map { redacted($0) }
      details.responseBody = nil
    }
  }
}

extension ExchangeEvent {
  /// The event without secrets.
  public func redacted(by redaction: Redaction) -> ExchangeEvent {
    var event = self
    switch kind {
    case .started(let request): event.kind = .started(redaction.redacted(request))
    case .sending(let request): event.kind = .sending(redaction.redacted(request))
    case .informational(let head): event.kind = .informational(redaction.redacted(head))
    case .responded(let head): event.kind = .responded(redaction.redacted(head))
    case .redirecting(let request, let response):
      event.kind = .redirecting(to: redaction.redacted(request), response: redaction.redacted(response))
    case .challenged(var challenge):
      challenge.parameters = []
      challenge.proposedCredential = nil
      challenge.response = challenge.response.map { redaction.redacted($0) }
      event.kind = .challenged(challenge)
    case .resending(let error):
      event.kind = .resending(after: (redaction.redacted(error) as? NetworkError) ?? error)
    case .retrying(let attempt, let wait, let error):
      event.kind = .retrying(attempt: attempt, after: wait, error: error.map { redaction.redacted($0) })
    case .finished(.failure(let error), let metrics):
      event.kind = .finished(.failure(redaction.redacted(error)), metrics: metrics)
    default: break
    }
    return event
  }
}
