import CurlewCore
import FoundationEssentials
import HTTPTypes

/// What may not go along to another origin.
struct RedirectStripping {
  private let redirect: Redirect
  /// What the app, or its redaction, names as a secret.
  private let credentials: Set<HTTPField.Name>

  init(_ redirect: Redirect, in exchange: Exchange) {
    self.redirect = redirect
    credentials = redirect.credentialFields.union(exchange.settings.redaction.fields)
  }

  /// The credentials that do not go along: all but those that were asked along by name, over a way that is no worse.
  func stripped(from old: Origin, to new: Origin) -> Set<HTTPField.Name> {
    old.scheme == .https && new.scheme == .http ? credentials : credentials.subtracting(redirect.carriedFields)
  }

  /// Takes off what is for the origin of `url` alone, where the request is for another one.
  ///
  /// - Parameter isOld: Whether a field is one that the request had before.
  func strip(
    _ request: inout Request, from url: URL, where isOld: (HTTPField) -> Bool = { _ in true }
  ) throws(RedirectRefusal) {
    let (old, new): (Origin, Origin)
    do throws(InvalidOriginError) {
      (old, new) = (try Origin(url), try request.origin)
    } catch {
      throw .location(.origin(error))
    }
    guard old != new else { return }
    guard redirect.followsDowngrade || old.scheme != .https || new.scheme == .https else { throw .downgrade }
    let stripped = stripped(from: old, to: new)
    request.headerFields = HTTPFields(
      request.headerFields.filter { field in
        guard isOld(field) else { return true }
        // Both say who is asked, or who asks, and were said for the other origin (RFC 9110 §15.4).
        if field.name == .host || field.name == .origin { return false }
        return !stripped.contains(field.name)
      })
  }
}

extension HTTPField.Name {
  static let host = HTTPField.Name("Host")
}

extension Request {
  /// Takes off the body and the fields that speak of it (RFC 9110 §15.4, §8).
  mutating func removeContent() {
    body = .empty
    options.expectsContinue = nil
    headerFields = HTTPFields(headerFields.filter { !Self.speaksOfContent($0.name.canonicalName) })
  }

  private static func speaksOfContent(_ name: String) -> Bool {
    switch name {
    case "digest", "repr-digest", "last-modified", "expect", "trailer", "transfer-encoding": true
    default: name.hasPrefix("content-")
    }
  }

  /// Sets the one `Referer`, or takes it off.
  mutating func setReferer(_ value: String?) {
    headerFields = HTTPFields(headerFields.filter { $0.name != .referer })
    if let value { headerFields.append(HTTPField(name: .referer, value: value)) }
  }
}
