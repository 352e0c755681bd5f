public import CurlewCore
import CurlewStorage
import FoundationEssentials
import HTTPTypes

/// Identifies a stored response by its URL and by who asked for it.
///
/// The URL counts in canonical form without its fragment (RFC 9111 §2). Requests for one URL have different keys if
/// their responses may differ: with other credentials, another client certificate, another trust policy, a Unix socket
/// or another address, or without an offer of content codings, because a coded response must not be returned to a client
/// that did not offer any.
///
/// Credentials are `Authorization` and every other field that the exchange's `Redaction` hides, such as `X-Api-Key`, except
/// `Cookie`: its value changes without another user, so it counts where `Vary` names it. A Digest field differs in each
/// request. One that `Authentication` computed counts by its user, realm and password; any other counts as it is, because
/// nobody has checked that its sender knows the password.
public struct CacheKey: Sendable, Hashable {
  /// The key as text, without secrets in plain text.
  public let text: String
  /// The hash of the text, which is needed several times for each request.
  private let hash: Int

  /// Creates a key from its text.
  public init(text: String) {
    self.text = text
    hash = text.hashValue
  }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// Creates the key of a request; nil when its URL has no origin.
  ///
  /// - Parameter secret: The secret of the store that the key is for.
  public init?(_ request: Request, in exchange: Exchange, secret: CacheSecret) {
    guard let resource = request.parsedURL.canonical else { return nil }
    let offersCodings = request.headerFields.has(.acceptEncoding)
    self.init(text: Self.asker(request, exchange, secret, offersCodings: offersCodings) + resource)
  }

  /// Creates the key of the same request with an offer of content codings.
  ///
  /// Nil if the request itself says which codings it accepts.
  init?(ofOffering request: Request, in exchange: Exchange, secret: CacheSecret) {
    guard !request.headerFields.has(.acceptEncoding), let resource = request.parsedURL.canonical else { return nil }
    self.init(text: Self.asker(request, exchange, secret, offersCodings: true) + resource)
  }

  /// Returns the keys that a request may have invalidated at a URL (RFC 9111 §4.4).
  ///
  /// They are the ones for its own credentials, for a part of them, and for none. A POST can carry a token that a GET of the
  /// same user does not need.
  static func affected(by request: Request, in exchange: Exchange, at url: URL, secret: CacheSecret) -> [CacheKey] {
    guard let resource = ParsedURL(url).canonical else { return [] }
    var askers: Set<String> = []
    let names = Set(credentials(of: request, exchange).map(\.name))
    // Each further name doubles the variations, and more than a few are not used at once.
    let varied = names.sorted { $0.canonicalName < $1.canonicalName }.prefix(mostVaried)
    for removed in 0...(1 << varied.count) {
      var variation = request
      for (index, name) in varied.enumerated() where removed >> index & 1 == 1 { variation.headerFields[name] = nil }
      if removed == 1 << varied.count { for name in names { variation.headerFields[name] = nil } }
      for offersCodings in [true, false] {
        askers.insert(asker(variation, exchange, secret, offersCodings: offersCodings))
      }
    }
    return askers.sorted().flatMap { asker in
      let key = CacheKey(text: asker + resource)
      return [key, key.part]
    }
  }

  private static let mostVaried = 4

  /// Returns the key of one variant.
  func variant(_ selector: VariantSelector, of request: Request, secret: CacheSecret) -> CacheKey {
    var text = text + "\n" + String(selector.nonce, radix: 36)
    for name in selector.names {
      let value = SelectingField.fingerprint(of: name, in: request.headerFields, secret)
      text += "\n" + name.canonicalName + (value.map { "=" + String($0, radix: 36) } ?? "")
    }
    return CacheKey(text: text)
  }

  /// Returns everything besides the URL that decides who may get the response.
  private static func asker(
    _ request: Request, _ exchange: Exchange, _ secret: CacheSecret, offersCodings: Bool
  ) -> String {
    var text = ""
    for field in credentials(of: request, exchange) {
      if field.name == .authorization {
        text += "a" + mark(secret.fingerprint(of: identity(field.value, exchange)))
      } else {
        text += "s" + mark(secret.fingerprint(of: field.name.canonicalName + ":" + field.value))
      }
    }
    if exchange.hasServerTrust, let trust = exchange.settings.serverTrust {
      text += "t" + fingerprint(trust.connectionKey.text)
    }
    if let identity = exchange.settings.clientIdentity {
      text += "c" + fingerprint(String(decoding: identity.certificateChain, as: UTF8.self))
    }
    if let path = request.options.unixSocketPath { text += "u" + fingerprint(path) }
    for override in request.options.addressOverrides { text += "o" + fingerprint("\(override)") }
    if offersCodings { text += "e" }
    return text.isEmpty ? text : text + " "
  }

  /// Returns the fields that say who asks.
  private static func credentials(of request: Request, _ exchange: Exchange) -> [HTTPField] {
    guard !request.headerFields.isEmpty else { return [] }
    let secrets = exchange.settings.redaction.fields
    return request.headerFields.filter { field in
      field.name == .authorization || (field.name != .cookie && secrets.contains(field.name))
    }
  }

  /// Returns the part of credentials that stays the same from request to request.
  private static func identity(_ credentials: String, _ exchange: Exchange) -> String {
    guard let computed = exchange.settings.userInfo[ComputedCredentials.self], computed.field == credentials else {
      return credentials
    }
    return "\n" + computed.identity
  }

  /// Returns the fingerprint of a text that is not secret.
  private static func fingerprint(_ text: String) -> String { mark(text.utf8Checksum) }

  /// Returns a fingerprint with a terminator, so that a sequence is unambiguous.
  private static func mark(_ fingerprint: UInt64) -> String { String(fingerprint, radix: 36) + "." }
}

extension String {
  /// The checksum of the UTF-8 bytes.
  var utf8Checksum: UInt64 {
    var text = self
    return text.withUTF8 { Checksum(of: UnsafeRawBufferPointer($0)).value }
  }
}

extension CacheKey: CustomReflectable {
  /// The text with the secrets of the URL replaced.
  public var customMirror: Mirror { Mirror(self, children: ["text": Redaction.standard.redacted(reference: text)]) }
}
