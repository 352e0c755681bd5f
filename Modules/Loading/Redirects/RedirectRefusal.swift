import CurlewCore
import FoundationEssentials

/// Why a redirect is not followed.
enum RedirectRefusal: Error {
  case limit(Int)
  /// The URLs of the circle, in order; the last is the first one.
  case circle([URL])
  case body
  case severalLocations
  case location(URLReferenceError)
  case downgrade

  /// Returns the error for the app.
  ///
  /// The server has answered the redirected request, so it may have acted on it.
  func error(_ request: Request, _ head: ResponseHead) -> NetworkError {
    let (kind, message): (NetworkError.Kind, String) =
      switch self {
      case .limit(let limit): (.tooManyRedirects, "The server redirects more than \(limit) times.")
      case .circle(let urls):
        (.tooManyRedirects, "The server redirects in a circle: \(Self.names(of: urls)).")
      case .body:
        (
          .bodyNotReplayable,
          "A redirect needs the body again, which can be sent once; make it replayable or set the newBody hook."
        )
      case .severalLocations: (.invalidRedirect, "The redirect names several places.")
      case .location(let error): (.invalidRedirect, "The redirect's Location \(error.reason).")
      case .downgrade: (.invalidRedirect, "The redirect leads from https to http.")
      }
    return NetworkError(kind, stage: .awaitingHead, message: message).with { details in
      details.request = request
      details.response = head
      details.maybeProcessed = true
    }
  }

  /// Returns the URLs as descriptions show them; a long circle is shortened.
  private static func names(of urls: [URL]) -> String {
    let names = urls.map { Redaction.name(of: $0) }
    return (names.count <= 6 ? names : names.prefix(4) + ["…"] + names.suffix(1)).joined(separator: " → ")
  }
}
