public import CurlewCore
import CurlewStorage
import FoundationEssentials
import HTTPTypes

/// What a stored response is found by: its URL and who asked.
///
/// The URL counts in canonical form and without its fragment (RFC 9111 §2). Two requests that could be answered
/// differently although the URL is one have different keys: with other credentials (by the user, where a scheme changes
/// the rest of the field each time), with another client certificate, under another trust policy, over a Unix socket or
/// another address, or with content left coded.
public struct CacheKey: Sendable, Hashable {
  /// The key as text, without a secret in the clear.
  public let text: String
  /// The hash of the text, which is looked up several times for each request.
  private let hash: Int

  /// Makes a key of text.
  public init(text: String) {
    self.text = text
    hash = text.hashValue
  }

  /// Equal keys have equal texts.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// The key of a request; nil when its URL has no origin.
  public init?(_ request: Request, in exchange: Exchange) {
    guard let resource = request.place.canonical else { return nil }
    self.init(text: Self.asker(request, exchange) + resource)
  }

  /// The keys of what a request to `request.url` may have changed at a URL (RFC 9111 §4.4): for who asked, and for nobody
  /// in particular.
  static func affected(by request: Request, in exchange: Exchange, at url: URL) -> [CacheKey] {
    guard let resource = RequestPlace(url).canonical else { return [] }
    var askers: Set<String> = []
    var variation = request
    variation.headerFields[.acceptEncoding] = nil
    for credentials in [request.headerFields[.authorization], nil] {
      variation.headerFields[.authorization] = credentials
      for decodes in [true, false] {
        variation.options.decodesContent = decodes
        askers.insert(asker(variation, exchange))
      }
    }
    return askers.sorted().flatMap { asker in
      let key = CacheKey(text: asker + resource)
      return [key, key.part]
    }
  }

  /// The key of one variant.
  func variant(_ selector: VariantSelector, of request: Request) -> CacheKey {
    var text = text + "\n" + String(selector.nonce, radix: 36)
    for name in selector.names {
      let value = SelectingField.fingerprint(of: name, in: request.headerFields)
      text += "\n" + name.canonicalName + (value.map { "=" + String($0, radix: 36) } ?? "")
    }
    return CacheKey(text: text)
  }

  /// What beside the URL decides who may get the response.
  private static func asker(_ request: Request, _ exchange: Exchange) -> String {
    var text = ""
    let fields = request.headerFields
    if let credentials = fields.value(of: .authorization) { text += "a" + fingerprint(identity(credentials)) }
    if exchange.hasServerTrust, let trust = exchange.settings.serverTrust {
      text += "t" + fingerprint(trust.connectionKey.text)
    }
    if let identity = exchange.settings.clientIdentity {
      text += "c" + fingerprint(String(decoding: identity.certificateChain, as: UTF8.self))
    }
    if let path = request.options.unixSocketPath { text += "u" + fingerprint(path) }
    for override in request.options.addressOverrides { text += "o" + fingerprint("\(override)") }
    if request.options.decodesContent == false || fields.has(.acceptEncoding) { text += "r" }
    return text.isEmpty ? text : text + " "
  }

  /// What of credentials stays the same from request to request.
  private static func identity(_ credentials: String) -> String {
    guard let field = try? AuthenticationChallengeField.parse(credentials).first, field.hasScheme("digest") else {
      return credentials
    }
    return "digest " + (field["username"] ?? "") + "\n" + (field.realm ?? "")
  }

  /// With a mark behind it, so that two fingerprints never read as other two.
  private static func fingerprint(_ text: String) -> String {
    String(text.utf8Checksum, radix: 36) + "."
  }
}

extension String {
  /// The checksum of the UTF-8 bytes.
  var utf8Checksum: UInt64 {
    var text = self
    return text.withUTF8 { Checksum(of: UnsafeRawBufferPointer($0)).value }
  }
}
