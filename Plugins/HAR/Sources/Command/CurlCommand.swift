public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// A command line for a POSIX shell that sends a request with curl.
///
/// It sends what Curlew's transports send: the same method, target, fields in the same order, and content, and none of the fields that
/// curl adds by itself. Secrets are replaced, and with them the content in memory, unless the command is made without redaction. A part
/// of a file is read from the file, by name.
///
/// ```swift
/// let command = CurlCommand(request)
/// print(command)  // curl --header 'Accept: application/json' … https://example.com/birds/7
/// ```
/// It is one request: redirects, cookies and retries belong to the session. What curl has no option for is left out, such as a trust
/// evaluator or a client identity. curl reads `~/.curlrc` and, without `--proxy`, the environment's proxy; Curlew does not. An argument
/// longer than 128 kB, such as one very long field, is more than Linux gives to a program.
public struct CurlCommand: Sendable, Hashable, CustomStringConvertible {
  /// The command.
  public let text: String
  /// Whether the command sends the request unchanged.
  ///
  /// It is false if a secret was replaced, or if the content is not in the command: a stream, or bytes beyond the limit.
  public let isComplete: Bool

  /// The command.
  public var description: String { text }

  /// The most bytes of a body that a command contains: 1 MiB.
  ///
  /// For a longer one, the command names the file `request-body`, which you have to write.
  public static let bodyLimit = 1 << 20

  /// Creates the command of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - exchange: The exchange in which it is sent, for its proxy; nil for a direct connection.
  ///   - redaction: Which secrets are replaced; nil replaces none, and shows the content.
  ///   - showsContent: Whether content in memory is shown although secrets are replaced: it can have secrets, too.
  public init(
    _ request: Request, in exchange: Exchange? = nil, redaction: Redaction? = .standard, showsContent: Bool = false
  ) {
    var writer = CurlCommandWriter(redaction: redaction, showsContent: showsContent)
    writer.write(request, proxy: exchange?.settings.proxy)
    text = writer.text
    isComplete = writer.isComplete
  }
}

extension Request {
  /// The command for a shell that sends this request with curl, without secrets and without content that is in memory.
  ///
  /// `CurlCommand(request, redaction: nil)` has them.
  public var curlCommand: String { CurlCommand(self).text }
}

extension NetworkError {
  /// The command that repeats the request that failed, without secrets; nil if no request was made.
  ///
  /// It repeats the request even if the server may have processed it: look at `maybeProcessed` first.
  public var curlCommand: String? { details.request?.curlCommand }

  /// The description, and "to repeat it" with the command on a line of its own, for a log; without secrets.
  ///
  /// ```
  /// GET https://example.com/birds/7: The server answered 404 Not Found. (unacceptable-status, while validating the response)
  /// to repeat it: curl --header 'User-Agent: birds/1' --header Accept: https://example.com/birds/7
  /// ```
  public var descriptionWithCommand: String {
    description + (curlCommand.map { "\nto repeat it: \($0)" } ?? "")
  }
}

/// Makes the curl command of each request as it is really sent: after all interceptors, once for each hop, attempt and re-sending.
///
/// ```swift
/// configuration.settings.observers.append(CurlCommandObserver { print($0) })
/// ```
public struct CurlCommandObserver: EventObserver {
  private let redaction: Redaction?
  private let handle: @Sendable (CurlCommand) -> Void

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - redaction: Which secrets are replaced; nil shows all. It takes the place of the exchange's own redaction: if an app has set
  ///     one there (`ExchangeSettings.redaction`), it gives the same one here.
  ///   - handle: Called for each sending, on the sending task. It must return at once.
  public init(redaction: Redaction? = .standard, handle: @escaping @Sendable (CurlCommand) -> Void) {
    self.redaction = redaction
    self.handle = handle
  }

  /// True: whether a request has content is known only before redaction. The commands are redacted here.
  public var wantsSecrets: Bool { true }

  /// Makes the command of a request that is being sent.
  public func observe(_ event: ExchangeEvent) {
    guard case .sending(let request) = event.kind else { return }
    handle(CurlCommand(request, redaction: redaction))
  }
}
