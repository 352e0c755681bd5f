public import FoundationEssentials
import HTTPTypes

extension NetworkError: CustomStringConvertible {
  /// The request, what happened, what to do about it, the kind, the stage and the attempts if there were several, without secrets.
  ///
  /// The request is its method and its URL without user information, query and fragment:
  ///
  /// ```
  /// GET https://example.com/birds/7: The server answered 404 Not Found. (unacceptable-status, while validating the response)
  /// ```
  public var description: String {
    let advice = advice.map { " " + $0 } ?? ""
    let attempts = details.attempts > 1 ? ", after \(details.attempts) attempts" : ""
    return "\(sentence)\(advice) (\(kind.rawValue), while \(stage.phrase)\(attempts))"
  }

  /// The request and what happened, without advice, kind and stage.
  package var sentence: String { requestName.map { "\($0): \(message)" } ?? message }

  /// The method and URL of the request, and the URL of the response if redirects led elsewhere; nil if neither is known.
  private var requestName: String? {
    let answered = details.response.map { Redaction.name(of: $0.url) }
    guard let request = details.request else { return answered }
    let asked = Redaction.name(of: request.url)
    let name = "\(request.method.rawValue) \(asked)"
    return answered.map { $0 == asked ? name : "\(name), redirected to \($0)" } ?? name
  }

  /// Returns this error with the request that failed, unless it already has one.
  package func naming(_ request: Request) -> NetworkError {
    guard details.request == nil else { return self }
    return with { $0.request = request }
  }
}

extension NetworkError {
  /// Creates the error of a timeout that passed, whose message has the time.
  ///
  /// - Parameters:
  ///   - kind: `connectTimedOut`, `idleTimedOut` or `timedOut`.
  ///   - stage: How far the request had come.
  ///   - timeouts: The timeouts of the request.
  public static func timeout(_ kind: Kind, stage: Stage, of timeouts: Timeouts) -> NetworkError {
    let (text, time): (String, Duration?) =
      switch kind {
      case .connectTimedOut: ("The connection was not established within its timeout", timeouts.connect)
      case .idleTimedOut: ("No byte was sent or received within the idle timeout", timeouts.idle)
      default: ("The attempt took longer than its total timeout", timeouts.total)
      }
    return NetworkError(kind, stage: stage, message: text + (time.map { " of \($0 / .seconds(1)) s" } ?? "") + ".")
  }
}

extension NetworkError: LocalizedError {
  /// The description, as `localizedDescription` shows it.
  public var errorDescription: String? { description }
}

extension Redaction {
  /// The longest URL in a description, in characters.
  private static let longestName = 200

  /// Returns a URL as descriptions show it: without user information, query and fragment.
  ///
  /// What is left can still have secrets, in the parameters of its path; they are replaced.
  package static func name(of url: URL) -> String {
    var text = url.absoluteString
    if let userInformation = standard.userInformation(in: text) { text.removeSubrange(userInformation) }
    let name = standard.redacted(reference: String(text.prefix { $0 != "?" && $0 != "#" }))
    return name.count <= longestName ? name : name.prefix(longestName) + "…"
  }
}
