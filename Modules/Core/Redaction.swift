public import FoundationEssentials
public import HTTPTypes

/// What observers, descriptions and logs are not shown.
///
/// Done once, in `Exchange.emit`: an observer gets the redacted form unless it asks for secrets.
public struct Redaction: Sendable {
  /// Names of fields whose value is hidden.
  public var fields: Set<HTTPField.Name>
  /// Names of items of query and fragment whose value is hidden, lower case.
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

  /// The fields with secrets replaced, also those in the URLs that some of them hold.
  public func redacted(_ headerFields: HTTPFields) -> HTTPFields {
    guard headerFields.contains(where: { fields.contains($0.name) || Self.fieldsOfURLs.contains($0.name) }) else {
      return headerFields
    }
    return HTTPFields(
      headerFields.map { field in
        if fields.contains(field.name) { return HTTPField(name: field.name, value: Self.mark) }
        guard Self.fieldsOfURLs.contains(field.name) else { return field }
        return HTTPField(name: field.name, value: redacted(reference: field.value))
      })
  }

  private static let fieldsOfURLs: Set<HTTPField.Name> = [.location, .contentLocation, .referer]

  /// The URL as text, without user information and with the values of secret items of query and fragment replaced.
  public func redacted(_ url: URL) -> String { redacted(reference: url.absoluteString) }

  /// The same of a URL that may be relative.
  private func redacted(reference: String) -> String {
    var text = reference
    if let start = text.firstRange(of: "//"), let at = authorityEnd(text[start.upperBound...]),
      !text[..<start.lowerBound].contains(where: { "/?#".contains($0) })
    {
      text.replaceSubrange(start.upperBound..<at, with: Self.mark + "@")
    }
    let fragment = text.firstIndex(of: "#") ?? text.endIndex
    let query = text[..<fragment].firstIndex(of: "?") ?? fragment
    // A fragment brings tokens back to an app that signed in (RFC 6749 §4.2.2).
    return text[..<query] + redactedItems(text[query..<fragment]) + redactedItems(text[fragment...])
  }

  /// Items behind their first character, the `?` or `#`.
  private func redactedItems(_ part: Substring) -> String {
    let items = part.dropFirst().split(separator: "&", omittingEmptySubsequences: false).map { item -> String in
      guard let equals = item.firstIndex(of: "=") else { return String(item) }
      let name = String(decoding: FieldSyntax.unescaped(Array(item[..<equals].utf8)), as: UTF8.self)
      let isSecret = queryItems.contains(name.lowercased())
      return isSecret ? item[...equals] + Self.mark : String(item)
    }
    return part.prefix(1) + items.joined(separator: "&")
  }

  /// The place behind the last `@` of an authority.
  private func authorityEnd(_ rest: Substring) -> String.Index? {
    let authority = rest.prefix { !"/?#".contains($0) }
    return authority.lastIndex(of: "@").map { rest.index(after: $0) }
  }

  /// The URL with secrets replaced; one that is none without them is hidden as a whole.
  private func hiding(_ url: URL) -> URL { URL(string: redacted(url)) ?? URL(filePath: Self.mark) }

  /// The request with secrets replaced; the body is left out.
  public func redacted(_ request: Request) -> Request {
    var request = request
    request.headerFields = redacted(request.headerFields)
    request.url = hiding(request.url)
    request.body = .empty
    return request
  }

  /// The head with secrets replaced.
  public func redacted(_ head: ResponseHead) -> ResponseHead {
    var head = head
    head.headerFields = redacted(head.headerFields)
    head.url = hiding(head.url)
    return head
  }

  /// The error with secrets replaced, and those below it.
  public func redacted(_ error: any Error) -> any Error {
    guard let error = error as? NetworkError else { return error }
    return error.with { details in
      details.request = details.request.map { redacted($0) }
      details.response = details.response.map { redacted($0) }
      details.responseBody = nil
      details.proxyChallenges = details.proxyChallenges.map { redacted($0) }
      details.underlying = details.underlying.map { redacted($0) }
    }
  }

  /// The challenge without its parameters, and without what would answer it.
  public func redacted(_ challenge: Challenge) -> Challenge {
    var challenge = challenge
    challenge.parameters = []
    challenge.proposedCredential = nil
    challenge.response = challenge.response.map { redacted($0) }
    return challenge
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
    case .challenged(let challenge): event.kind = .challenged(redaction.redacted(challenge))
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
