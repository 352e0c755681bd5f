public import FoundationEssentials
public import HTTPTypes

/// Defines what observers, descriptions and logs must not show.
///
/// `Exchange.emit` applies it once: an observer gets the redacted form unless it asks for secrets.
public struct Redaction: Sendable {
  /// The names of fields whose values are hidden.
  public var fields: Set<HTTPField.Name>
  /// The names of query and fragment items whose values are hidden, in lower case.
  public var queryItems: Set<String>

  /// Creates a redaction that hides the named values.
  public init(fields: Set<HTTPField.Name>, queryItems: Set<String>) {
    self.fields = fields
    self.queryItems = queryItems
  }

  /// The replacement for a secret.
  public static let mark = "<redacted>"

  /// Hides credentials, cookies and the usual names of tokens and keys.
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

  /// Returns the fields with secrets replaced, including those in URLs.
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

  static let fieldsOfURLs: Set<HTTPField.Name> = [.location, .contentLocation, .referer]

  /// Returns the URL as text with secrets replaced.
  ///
  /// User information is removed, and values of secret query and fragment items are replaced.
  public func redacted(_ url: URL) -> String { redacted(reference: url.absoluteString) }

  /// Returns a URL, which may be relative, with secrets replaced.
  private func redacted(reference: String) -> String {
    var text = reference
    if let userInformation = userInformation(in: text) { text.replaceSubrange(userInformation, with: Self.mark + "@") }
    let fragment = text.firstIndex(of: "#") ?? text.endIndex
    let query = text[..<fragment].firstIndex(of: "?") ?? fragment
    // A fragment returns tokens to an app after a sign-in (RFC 6749 §4.2.2).
    return text[..<query] + redactedItems(text[query..<fragment]) + redactedItems(text[fragment...])
  }

  /// Redacts the items after the first character, which is `?` or `#`.
  private func redactedItems(_ part: Substring) -> String {
    let items = part.dropFirst().split(separator: "&", omittingEmptySubsequences: false).map { item -> String in
      guard let equals = item.firstIndex(of: "="), secretName(of: item) != nil else { return String(item) }
      return item[...equals] + Self.mark
    }
    return part.prefix(1) + items.joined(separator: "&")
  }

  /// Returns the name of a query item in lower case if its value is a secret.
  func secretName(of item: Substring) -> String? {
    guard let equals = item.firstIndex(of: "=") else { return nil }
    let name = String(decoding: FieldSyntax.unescaped(Array(item[..<equals].utf8)), as: UTF8.self).lowercased()
    return queryItems.contains(name) ? name : nil
  }

  /// Returns the range of a URL's user information, including the `@`.
  func userInformation(in text: String) -> Range<String.Index>? {
    guard let start = text.firstRange(of: "//"), let end = authorityEnd(text[start.upperBound...]),
      !text[..<start.lowerBound].contains(where: { "/?#".contains($0) })
    else { return nil }
    return start.upperBound..<end
  }

  /// Returns the index after the last `@` of an authority.
  private func authorityEnd(_ rest: Substring) -> String.Index? {
    let authority = rest.prefix { !"/?#".contains($0) }
    return authority.lastIndex(of: "@").map { rest.index(after: $0) }
  }

  /// Returns the URL with secrets replaced.
  ///
  /// A URL that no longer parses without its secrets is hidden entirely.
  private func hiding(_ url: URL) -> URL { URL(string: redacted(url)) ?? URL(filePath: Self.mark) }

  /// Returns the request with secrets replaced and without its body.
  public func redacted(_ request: Request) -> Request {
    var request = request
    request.headerFields = redacted(request.headerFields)
    request.url = hiding(request.url)
    request.body = .empty
    return request
  }

  /// Returns the head with secrets replaced.
  public func redacted(_ head: ResponseHead) -> ResponseHead {
    var head = head
    head.headerFields = redacted(head.headerFields)
    head.url = hiding(head.url)
    return head
  }

  /// Returns the error and its underlying errors with secrets replaced.
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

  /// Returns the challenge without its parameters and its proposed answer.
  public func redacted(_ challenge: Challenge) -> Challenge {
    var challenge = challenge
    challenge.parameters = []
    challenge.proposedCredential = nil
    challenge.response = challenge.response.map { redacted($0) }
    return challenge
  }
}

extension ExchangeEvent {
  /// Returns the event with secrets replaced.
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
