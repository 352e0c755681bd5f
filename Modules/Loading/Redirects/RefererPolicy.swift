import CurlewCore
import FoundationEssentials
public import HTTPTypes

/// How much a redirected request tells of the page that led to it (W3C Referrer Policy §3).
///
/// It decides what becomes of a `Referer` that the app set; none is made where there was none.
public enum RefererPolicy: String, Sendable, Hashable, CaseIterable {
  /// Nothing, once there was a redirect.
  case noReferrer = "no-referrer"
  /// All, but nothing from https to http.
  case noReferrerWhenDowngrade = "no-referrer-when-downgrade"
  /// All within the referrer's own origin, nothing else.
  case sameOrigin = "same-origin"
  /// The origin.
  case origin
  /// The origin, but nothing from https to http.
  case strictOrigin = "strict-origin"
  /// All within the referrer's own origin, else the origin.
  case originWhenCrossOrigin = "origin-when-cross-origin"
  /// All within the referrer's own origin, else the origin, nothing from https to http; what browsers do unasked.
  case strictOriginWhenCrossOrigin = "strict-origin-when-cross-origin"
  /// All, everywhere.
  case unsafeURL = "unsafe-url"

  /// The last policy that a response names and that is known; nil when there is none (§8.1).
  public init?(_ fields: HTTPFields) {
    guard let name = HTTPField.Name("Referrer-Policy") else { return nil }
    var found: RefererPolicy?
    for field in fields where field.name == name {
      for token in field.value.split(separator: ",") {
        let word = token.filter { $0 != " " && $0 != "\t" }.lowercased()
        found = RefererPolicy(rawValue: word) ?? found
      }
    }
    guard let found else { return nil }
    self = found
  }

  /// What is left of a referrer for a URL; nil is nothing.
  func value(of referer: String, for url: URL) -> String? {
    guard self != .noReferrer, self != .unsafeURL else { return self == .unsafeURL ? referer : nil }
    guard let page = URL(string: referer), let from = try? Origin(page), let to = try? Origin(url) else { return nil }
    let isDowngrade = from.scheme == .https && to.scheme == .http
    let origin = from.description + "/"
    switch self {
    case .noReferrer: return nil
    case .noReferrerWhenDowngrade: return isDowngrade ? nil : referer
    case .sameOrigin: return from == to ? referer : nil
    case .origin: return origin
    case .strictOrigin: return isDowngrade ? nil : origin
    case .originWhenCrossOrigin: return from == to ? referer : origin
    case .strictOriginWhenCrossOrigin: return from == to ? referer : isDowngrade ? nil : origin
    case .unsafeURL: return referer
    }
  }
}
