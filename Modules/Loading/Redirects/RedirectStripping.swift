import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Decides which fields of a request may follow a redirect to another origin.
struct RedirectStripping {
  private let redirect: Redirect
  /// The fields that the app, or its redaction, defines as secrets.
  private let credentials: Set<HTTPField.Name>

  init(_ redirect: Redirect, in exchange: Exchange) {
    self.redirect = redirect
    credentials = redirect.credentialFields.union(exchange.settings.redaction.fields)
  }

  /// Returns the fields that must not be set again after the redirect.
  ///
  /// They are all credentials, and the fields that were removed from the request.
  func stripped(of request: Request, from old: Origin, to new: Origin) -> Set<HTTPField.Name> {
    let names = credentials.union(request.headerFields.map(\.name))
    return names.filter { !Self.namesOrigin($0) && !mayFollow($0, from: old, to: new) }
  }

  /// Returns whether a field may go from one origin to another.
  ///
  /// It is harmless, or the app allowed it and the new origin is not less secure.
  private func mayFollow(_ name: HTTPField.Name, from old: Origin, to new: Origin) -> Bool {
    if Self.namesOrigin(name) { return false }
    if redirect.carriedFields.contains(name) { return old.scheme != .https || new.scheme != .http }
    return redirect.harmlessFields.contains(name) && !credentials.contains(name)
  }

  /// Returns whether a field names an origin, which has changed (RFC 9110 §15.4).
  private static func namesOrigin(_ name: HTTPField.Name) -> Bool { name == .host || name == .origin }

  /// Removes what is only for the origin of `url` if the request has another origin.
  ///
  /// - Parameter isOld: Returns whether the request had the field before.
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
    request.headerFields = HTTPFields(
      request.headerFields.filter { !isOld($0) || mayFollow($0.name, from: old, to: new) })
  }
}

extension HTTPField.Name {
  static let host = HTTPField.Name("Host")
}

extension Request {
  /// Removes the body and the fields that describe it (RFC 9110 §15.4, §8).
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

  /// Sets or removes the `Referer`.
  mutating func setReferer(_ value: String?) {
    headerFields = HTTPFields(headerFields.filter { $0.name != .referer })
    if let value { headerFields.append(HTTPField(name: .referer, value: value)) }
  }
}
