public import CurlewCore
import CurlewStorage
import FoundationEssentials
import HTTPTypes

/// Identifies a stored response by its URL and by who asked for it.
///
/// The URL counts in canonical form without its fragment (RFC 9111 §2). Requests for one URL have different keys if
/// their responses may differ: with other credentials (with another user, where a scheme changes the rest of the field
/// each time), another client certificate, another trust policy, a Unix socket or another address, or without an offer
/// of content codings, because a coded response must not be returned to a client that did not offer any.
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
  /// They are the one for its own credentials and the one without any.
  static func affected(by request: Request, in exchange: Exchange, at url: URL, secret: CacheSecret) -> [CacheKey] {
    guard let resource = ParsedURL(url).canonical else { return [] }
    var askers: Set<String> = []
    var variation = request
    for credentials in [request.headerFields[.authorization], nil] {
      variation.headerFields[.authorization] = credentials
      for offersCodings in [true, false] {
        askers.insert(asker(variation, exchange, secret, offersCodings: offersCodings))
      }
    }
    return askers.sorted().flatMap { asker in
      let key = CacheKey(text: asker + resource)
      return [key, key.part]
    }
  }

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
    if let credentials = request.headerFields.value(of: .authorization) {
      text += "a" + mark(secret.fingerprint(of: identity(credentials)))
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

  /// Returns the part of credentials that stays the same from request to request.
  private static func identity(_ credentials: String) -> String {
    guard let field = try? AuthenticationChallengeField.parse(credentials).first, field.hasScheme("digest") else {
      return credentials
    }
    return "digest " + (field["username"] ?? "") + "\n" + (field.realm ?? "")
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
