package import CurlewCore
package import FoundationEssentials
import HTTPTypes

/// Computes the next request of one redirect, and what the next hop may know.
struct RedirectStep {
  private let redirect: Redirect
  private let referer: String?
  private var refererPolicy: RefererPolicy

  init(_ redirect: Redirect, _ first: Request) {
    self.redirect = redirect
    referer = first.headerFields.first { $0.name == .referer }?.value
    refererPolicy = redirect.refererPolicy
  }

  /// A proposed request, and the fields that must not follow it.
  struct Plan {
    var request: Request
    let stripping: RedirectStripping
  }

  /// Returns the request that a response proposes; nil if it is not a redirect.
  ///
  /// - Throws: `NetworkError` of kind `invalidRedirect`.
  mutating func plan(_ request: Request, _ head: ResponseHead, in exchange: Exchange) throws(NetworkError) -> Plan? {
    guard let status = RedirectStatus(head.status) else { return nil }
    var target = request
    do throws(RedirectRefusal) {
      guard let url = try Self.target(of: request.url, head) else { return nil }
      target.url = url
    } catch {
      throw error.error(request, head)
    }
    if let method = status.newMethod(for: request) {
      target.method = method
      target.removeContent()
    }
    let stripping = RedirectStripping(redirect, in: exchange)
    do throws(RedirectRefusal) {
      try stripping.strip(&target, from: request.url)
    } catch {
      throw error.error(request, head)
    }
    refererPolicy = RefererPolicy(head.headerFields) ?? refererPolicy
    if let referer { target.setReferer(refererPolicy.value(of: referer, for: target.url)) }
    return Plan(request: target, stripping: stripping)
  }

  /// Returns the URL that a response redirects to; nil without a `Location`.
  private static func target(of base: URL, _ head: ResponseHead) throws(RedirectRefusal) -> URL? {
    var location: HTTPField?
    for field in head.headerFields where field.name == .location {
      // Equal Location fields count as one, as in browsers. A field's name has its case, so the values are compared.
      guard location == nil || location?.hasValue(of: field) == true else { throw .severalLocations }
      location = field
    }
    guard let location, !location.value.isEmpty else { return nil }
    do throws(URLReferenceError) {
      return try URLReference(location).resolved(against: URLReference(base.absoluteString))
    } catch {
      throw .location(error)
    }
  }

  /// Returns the exchange of the next hop.
  func exchange(after request: Request, _ target: Request, in exchange: Exchange) -> Exchange {
    guard let old = try? request.origin, let new = try? target.origin, old != new else {
      return exchange.nextHop { Self.note(request.url, &$0) }
    }
    let stripped = RedirectStripping(redirect, in: exchange).stripped(of: request, from: old, to: new)
    return exchange.nextHop { settings in
      Self.note(request.url, &settings)
      settings.userInfo[StrippedFields.self] = (settings.userInfo[StrippedFields.self] ?? []).union(stripped)
      if !redirect.carriesClientIdentity || old.scheme == .https && new.scheme == .http {
        settings.clientIdentity = nil
      }
    }
  }

  private static func note(_ url: URL, _ settings: inout ExchangeSettings) {
    guard let origin = try? Origin(url) else { return }
    settings.userInfo[RedirectTrail.self] = (settings.userInfo[RedirectTrail.self] ?? []) + [origin]
  }
}

extension RedirectStep.Plan {
  /// Removes credentials that the app's answer kept although it changed the origin.
  func narrowed(_ answer: Request, _ head: ResponseHead) throws(NetworkError) -> Request {
    do throws(RedirectRefusal) {
      var narrowed = answer
      try stripping.strip(&narrowed, from: request.url) { field in
        request.headerFields.contains { $0.name == field.name && $0.value == field.value }
      }
      return narrowed
    } catch {
      throw error.error(answer, head)
    }
  }
}

extension ResponseHead {
  /// Returns the URL that the request was sent to: `HSTS` may have made `https` of the app's `http` (RFC 6797 §8.3).
  package func url(asSent asked: URL) -> URL {
    guard asked != url, let old = try? Origin(asked), let new = try? Origin(url), old.scheme == .http,
      new == (try? Origin(scheme: .https, host: old.host, port: old.port == 80 ? nil : old.port))
    else { return asked }
    return url
  }
}

extension HTTPField {
  /// Returns whether two fields have the same bytes as their values.
  fileprivate func hasValue(of other: HTTPField) -> Bool {
    withUnsafeBytesOfValue { bytes in other.withUnsafeBytesOfValue { bytes.elementsEqual($0) } }
  }
}

/// The origins that redirected before, in order; nil at the first hop.
enum RedirectTrail: UserInfoKey {
  typealias Value = [Origin]
}

/// The redirecting statuses and their effects (RFC 9110 §15.4.2–4, §15.4.8–9).
enum RedirectStatus: Int {
  case movedPermanently = 301
  case found = 302
  case seeOther = 303
  case temporaryRedirect = 307
  case permanentRedirect = 308

  init?(_ status: HTTPResponse.Status) {
    // Nearly all responses return here.
    guard status.code >= 301, status.code <= 308 else { return nil }
    self.init(rawValue: status.code)
  }

  /// Returns the method of the redirected request; nil keeps the method and body.
  func newMethod(for request: Request) -> HTTPRequest.Method? {
    switch self {
    case .movedPermanently, .found: request.method == .post ? .get : nil
    case .seeOther where request.method == .head: nil
    case .seeOther: request.method == .get && request.body.isEmpty ? nil : .get
    case .temporaryRedirect, .permanentRedirect: nil
    }
  }
}
