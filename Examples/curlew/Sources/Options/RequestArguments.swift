import ArgumentParser
import CurlewCore
import CurlewSerialization
import FoundationEssentials
import HTTPTypes

/// The options about method, header fields and query.
struct RequestArguments: ParsableArguments {
  @Option(
    name: [.customShort("X"), .long, .customLong("request")], help: "The method. Default: GET, or POST with a body.")
  var method: String?

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: ArgumentHelp(
      "A header field; 'Name:' leaves out one that would be sent, and 'Name;' sends an empty one.",
      valueName: "name: value"), transform: HeaderArgument.read)
  var headers: [HeaderArgument] = []

  @Option(
    name: [.customLong("query"), .customLong("url-query")],
    help: ArgumentHelp("A query item to add to the URL.", valueName: "name=value"),
    transform: NameValueArgument.read)
  var query: [NameValueArgument] = []

  @Flag(name: [.customShort("I"), .long], help: "Send a HEAD request and print the response's head.")
  var head = false

  func validate() throws {
    if let method, HTTPRequest.Method(method) == nil { throw ValidationError("'\(method)' is not an HTTP method.") }
    if head, let method, method != "HEAD" {
      throw ValidationError(
        "-I sends a HEAD request; for the head alone of a response to \(method) write -X \(method) -i -o /dev/null.")
    }
  }

  /// Returns the request for one URL.
  func request(for url: String, hasBody: Bool) throws -> Request {
    var request: Request
    do {
      request = try Request(.get, url)
      _ = try RequestCheck.origin(of: request)
      request.url = try request.url.appendingQuery(query.encoded)
    } catch {
      throw ValidationError(Self.refusal(of: url, error))
    }
    if head {
      request.method = .head
    } else if let method, let named = HTTPRequest.Method(method) {
      request.method = named
    } else if hasBody {
      request.method = .post
    }
    headers.add(to: &request)
    return request
  }

  /// Returns what is wrong with the text of a URL, and what to do.
  private static func refusal(of text: String, _ error: any Error) -> String {
    let shown = FetchFailure.withoutSecrets(text)
    // With a port, such as in 127.0.0.1:80, the text is no URL at all.
    let reason =
      ((error as? NetworkError)?.details.underlying as? InvalidOriginError)?.reason
      ?? (URL(string: text) == nil ? .scheme : nil)
    switch reason {
    case _ where reason == .userInformation || !text.contains("://") && shown != text:
      return "'\(shown)' contains a user name or password; give them with --user, so that no log shows them."
    case .scheme where !text.contains("://"):
      return "'\(shown)' is not a URL; write it like https://example.com/birds, or example.com/birds."
    case .scheme where ["ws", "wss"].contains(text.prefix { $0 != ":" }.lowercased()):
      return "'\(shown)' is the URL of a WebSocket; write curlew ws in front of it."
    default: return "'\(shown)' cannot be fetched: \((error as? NetworkError)?.messageAndAdvice ?? "\(error)")"
    }
  }
}
