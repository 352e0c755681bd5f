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
        "x-amz-security-token", "x-goog-iam-authorization-token", "x-access-token", "x-session-token", "x-xsrf-token",
        "x-api-token", "x-auth-key", "x-vault-token", "private-token", "ocp-apim-subscription-key", "x-functions-key",
        "cf-access-client-secret", "cf-access-jwt-assertion", "x-amzn-oidc-data", "x-forwarded-access-token",
      ].compactMap { HTTPField.Name($0) }),
    queryItems: [
      "access_token", "refresh_token", "id_token", "auth_token", "device_code", "token", "jwt", "assertion",
      "client_assertion", "samlresponse", "samlrequest", "samlart", "ticket", "auth", "authorization", "credential",
      "credentials", "api_key", "apikey", "api-key", "access_key", "key", "subscription-key", "secret", "client_secret",
      "password", "passwd", "pwd", "pass", "passphrase", "otp", "code", "code_verifier", "session", "sessionid",
      "session_id", "session_token", "sid", "jsessionid", "phpsessid", "signature", "sig", "hmac", "x-amz-signature",
      "x-amz-credential", "x-amz-security-token", "x-goog-signature", "x-goog-credential", "awsaccesskeyid",
      "googleaccessid",
    ])

  /// Returns the fields with secrets replaced, including those in URLs.
  public func redacted(_ headerFields: HTTPFields) -> HTTPFields {
    guard headerFields.contains(where: { Self.hasURL($0.name) || fields.contains($0.name) }) else {
      return headerFields
    }
    return HTTPFields(
      headerFields.map { field in
        if fields.contains(field.name) { return HTTPField(name: field.name, value: Self.mark) }
        guard Self.hasURL(field.name) else { return field }
        return HTTPField(name: field.name, value: redacted(reference: field.value))
      })
  }

  private static let urlFields: Set<HTTPField.Name> = Set(
    [.location, .contentLocation, .referer] + ["link", "refresh", "destination"].compactMap { HTTPField.Name($0) })

  /// Whether the value of a field is a URL, or has URLs in it.
  static func hasURL(_ name: HTTPField.Name) -> Bool {
    urlFields.contains(name)
  }

  /// Returns the URL as text with secrets replaced.
  ///
  /// User information is removed, and values of secret query and fragment items and path parameters are replaced.
  public func redacted(_ url: URL) -> String { redacted(reference: url.absoluteString) }

  /// Returns a URL, which may be relative, with secrets replaced.
  package func redacted(reference: String, by mark: String = Self.mark) -> String {
    guard Self.mayHaveSecret(reference) else { return reference }
    var text = reference
    if let userInformation = userInformation(in: text) { text.replaceSubrange(userInformation, with: mark + "@") }
    return Self.items(of: text).map { item in
      guard secretName(of: item.text) != nil, let equals = item.text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
        return item.separator + item.text
      }
      return item.separator + Substring(item.text.utf8[...equals]) + mark
    }.joined()
  }

  /// Returns whether a URL has a value or an `@`; without either, it has no secret.
  static func mayHaveSecret(_ reference: String) -> Bool {
    var reference = reference
    return reference.withUTF8 { $0.contains { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "@") } }
  }

  /// Splits a URL into the parts that can be `name=value`, each with the separator before it.
  ///
  /// Query and fragment have such items: a fragment returns tokens to an app after a sign-in (RFC 6749 §4.2.2). Items are separated
  /// by `&`, or by `;` as HTML 4 recommends; a question mark separates too, since a fragment can be a path with a query of its own. The
  /// segments of a path can have parameters after `;` (RFC 3986 §3.3).
  static func items(of reference: String) -> [(separator: String, text: Substring)] {
    var items: [(separator: String, text: Substring)] = []
    var (start, separator, isPath) = (reference.startIndex, "", true)
    for index in reference.utf8.indices {
      switch reference.utf8[index] {
      case UInt8(ascii: "?"), UInt8(ascii: "#"): isPath = false
      // `Link` has its URLs in them (RFC 8288 §3).
      case UInt8(ascii: "<"), UInt8(ascii: ">"): isPath = true
      case UInt8(ascii: ";"): break
      case UInt8(ascii: "/") where isPath: break
      case UInt8(ascii: "&") where !isPath: break
      default: continue
      }
      items.append((separator, reference[start..<index]))
      start = reference.utf8.index(after: index)
      separator = String(reference[index..<start])
    }
    items.append((separator, reference[start...]))
    return items
  }

  /// Returns the name of an item in lower case if its value is a secret.
  func secretName(of item: Substring) -> String? {
    // By bytes, since a combining mark behind it would make it a part of another character.
    guard let equals = item.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let name = String(decoding: FieldSyntax.unescaped(Array(item.utf8[..<equals])), as: UTF8.self).lowercased()
    return queryItems.contains(name) ? name : nil
  }

  /// Returns the range of a URL's user information, including the `@`.
  func userInformation(in text: String) -> Range<String.Index>? {
    let bytes = text.utf8
    guard let slash = bytes.firstIndex(where: Self.endsAuthority), bytes[slash...].starts(with: "//".utf8) else {
      return nil
    }
    let start = bytes.index(slash, offsetBy: 2)
    let authority = bytes[start...].prefix { !Self.endsAuthority($0) }
    return authority.lastIndex(of: UInt8(ascii: "@")).map { start..<bytes.index(after: $0) }
  }

  /// Whether a byte ends what stands before it in a URL: a scheme or an authority (RFC 3986 §3).
  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Returns the URL with secrets replaced.
  ///
  /// A URL that no longer parses without its secrets is hidden entirely.
  private func hiding(_ url: URL) -> URL {
    let whole = url.absoluteString
    guard Self.mayHaveSecret(whole) else { return url }
    // The mark is escaped here: Foundation would escape the whole text again because of its angle brackets.
    let text = redacted(reference: whole, by: "%3Credacted%3E")
    return URL(string: text, encodingInvalidCharacters: false) ?? URL(filePath: Self.mark)
  }

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
      details.coding = nil
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

// What `dump`, a debugger and reflection show of the types that can contain secrets: the same as observers see.

extension Redaction {
  /// Returns the fields as lines without secrets, as a mirror shows them.
  package static func lines(of fields: HTTPFields) -> [String] {
    standard.redacted(fields).map { "\($0.name): \($0.value)" }
  }
}

extension Request: CustomReflectable {
  /// The parts of the request without secrets and without the bytes of its body.
  public var customMirror: Mirror {
    let redacted = Redaction.standard.redacted(self)
    return Mirror(
      self,
      children: [
        "method": method.rawValue, "url": redacted.url.absoluteString,
        "headerFields": Redaction.lines(of: headerFields), "bodyLength": body.length as Any, "options": options,
      ])
  }
}

extension ResponseHead: CustomStringConvertible, CustomReflectable {
  /// The status and the redacted URL, without fields.
  public var description: String { "\(status.words) \(Redaction.standard.redacted(url))" }

  /// The parts of the head without secrets.
  public var customMirror: Mirror {
    let redacted = Redaction.standard.redacted(self)
    return Mirror(
      self,
      children: [
        "url": redacted.url.absoluteString, "status": status.code, "version": version as Any,
        "headerFields": Redaction.lines(of: headerFields), "expectedLength": expectedLength as Any, "source": source,
      ])
  }
}

extension Body: CustomReflectable {
  /// The length and the kind of the source, without the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["length": length as Any, "source": source]) }
}

extension Body.Source: CustomReflectable {
  /// The source without its bytes.
  public var customMirror: Mirror {
    switch self {
    case .empty: Mirror(self, children: ["length": 0])
    case .bytes(let data): Mirror(self, children: ["length": data.count])
    case .file(let region): Mirror(self, children: ["file": region])
    case .stream(let stream): Mirror(self, children: ["stream": stream])
    }
  }
}

extension MultipartPart: CustomReflectable {
  /// The fields without secrets; the body is not shown.
  public var customMirror: Mirror { Mirror(self, children: ["fields": Redaction.lines(of: fields)]) }
}

extension AuthenticationChallengeField: CustomReflectable {
  /// The scheme and the realm; a nonce or a token is not shown.
  public var customMirror: Mirror { Mirror(self, children: ["scheme": scheme, "realm": realm as Any]) }
}

extension AuthenticationInfoField: CustomReflectable {
  /// The names of the parameters, without their values.
  public var customMirror: Mirror { Mirror(self, children: ["parameters": parameters.map(\.name)]) }
}

extension Proxy: CustomReflectable {
  /// The address without the credential.
  public var customMirror: Mirror { Mirror(self, children: ["kind": kind, "host": host, "port": port]) }
}

extension Challenge: CustomReflectable {
  /// The challenge without its parameters.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "protectionSpace": protectionSpace, "previousFailureCount": previousFailureCount,
        "response": response as Any, "serverTrust": serverTrust as Any,
      ])
  }
}

extension UserInfo: CustomReflectable {
  /// Nothing: what the app keeps here may be secret.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension NetworkError.Details: CustomReflectable {
  /// The details without the body of a response.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "kind": kind.rawValue, "stage": stage, "message": message, "advice": advice as Any, "request": request as Any,
        "response": response as Any, "responseBodyLength": responseBody?.count as Any, "bytesSent": bytesSent,
        "bytesReceived": bytesReceived, "connectionReused": connectionReused as Any, "maybeProcessed": maybeProcessed,
        "lacksNetwork": lacksNetwork, "attempts": attempts, "trust": trust as Any, "proxyChallenges": proxyChallenges,
        "missing": missing,
        "underlying": underlying as Any, "transportCode": transportCode as Any,
      ])
  }
}
