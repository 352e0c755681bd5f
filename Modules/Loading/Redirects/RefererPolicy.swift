import CurlewCore
import FoundationEssentials
public import HTTPTypes

/// How much a redirected request reveals of the referrer (W3C Referrer Policy §3).
///
/// It only changes a `Referer` that the app set; it never adds one.
public enum RefererPolicy: String, Sendable, Hashable, CaseIterable {
  /// Nothing after a redirect.
  case noReferrer = "no-referrer"
  /// The whole URL, but nothing from https to http.
  case noReferrerWhenDowngrade = "no-referrer-when-downgrade"
  /// The whole URL within the referrer's own origin, nothing to others.
  case sameOrigin = "same-origin"
  /// Only the origin.
  case origin
  /// Only the origin, and nothing from https to http.
  case strictOrigin = "strict-origin"
  /// The whole URL within the referrer's own origin, otherwise the origin.
  case originWhenCrossOrigin = "origin-when-cross-origin"
  /// The whole URL within the referrer's own origin, otherwise the origin.
  ///
  /// Nothing from https to http. This is the default of browsers.
  case strictOriginWhenCrossOrigin = "strict-origin-when-cross-origin"
  /// The whole URL, to every origin.
  case unsafeURL = "unsafe-url"

  /// Creates the last known policy of a response; nil if it names none (§8.1).
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

  /// Returns the `Referer` for a URL; nil means no field.
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
