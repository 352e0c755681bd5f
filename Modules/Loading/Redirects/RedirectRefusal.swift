import CurlewCore

/// Why a redirect is not followed.
enum RedirectRefusal: Error {
  case limit(Int)
  case circle
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
      case .circle: (.tooManyRedirects, "The server redirects in a circle.")
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
}
