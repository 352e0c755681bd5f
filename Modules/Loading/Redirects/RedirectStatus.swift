import CurlewCore
import HTTPTypes

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
