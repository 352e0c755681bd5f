import ArgumentParser
import CurlewCore
import CurlewSession
import CurlewWebSocket
import FoundationEssentials
import Synchronization

/// The command `curlew ws`.
struct WebSocketCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ws",
    abstract: "Opens a WebSocket: sends each line of standard input, and prints each message.",
    discussion: """
      A line is sent as a text without its line feed, and a message is printed with one; the bytes of a binary message are printed \
      unchanged. After the last line the connection is closed, and what arrives before the server's close frame is printed; \
      --keep-open waits until the server closes by itself. Exit code 1 when the connection failed or was lost, or the server \
      closed with a code other than 1000 and 1001.

      EXAMPLES
        curlew ws wss://example.com/chat
        echo hello | curlew ws --compress ws://localhost:8080/echo
        echo '{"subscribe":"birds"}' | curlew ws --keep-open wss://example.com/feed
        curlew ws --subprotocol graphql-transport-ws --bearer "$TOKEN" wss://example.com/graphql
      """)

  @Argument(
    help: ArgumentHelp(
      "The URL: ws, wss, http or https; without a scheme wss, and ws for this machine.", valueName: "url")) var url:
    String

  @Option(
    name: [.customShort("H"), .customLong("header")],
    help: ArgumentHelp("A header field of the handshake.", valueName: "name: value"), transform: HeaderArgument.read)
  var headers: [HeaderArgument] = []

  @Option(help: ArgumentHelp("A subprotocol to offer; may be repeated, the first is preferred.", valueName: "name"))
  var subprotocol: [String] = []

  @Flag(help: "Offer compression (permessage-deflate).")
  var compress = false

  @Flag(help: "Stay after the end of the input, until the server closes.")
  var keepOpen = false

  @Option(
    help: ArgumentHelp(
      "How long to wait for the server's close frame after the last line. Default: 10.", valueName: "seconds"),
    transform: Seconds.read)
  var closeTimeout: Seconds?

  @Flag(
    name: [.customShort("v"), .customLong("verbose"), .customLong("trace")], help: ReportArguments.traceHelp)
  var trace = false

  @OptionGroup(title: "Connection") var connection: ConnectionArguments
  @OptionGroup(title: "Trust") var trust: TrustArguments
  @OptionGroup(title: "Credentials") var credentials: CredentialArguments
  @OptionGroup(title: "Recording") var recording: HARArguments

  func run() async throws {
    credentials.warn()
    try await Interruption.guarding { try await self.converse() }
  }

  private func converse() async throws {
    let recorder = try recording.recorder()
    let tool = try ToolSession(
      connection, trust: try await trust.settings(), credentials: credentials.settings, parallel: 1,
      trace: recording.trace(trace, over: connection, isAlone: true),
      recorder: recorder)
    let outcome: Result<Void, any Error>
    do {
      try await converse(over: tool)
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    try await tool.end()
    try recording.end(recorder)
    guard case .failure(let error) = outcome else { return }
    if error is CancellationError || error is ExitCode || error is ValidationError || error is StreamError {
      throw error
    }
    StandardError.write(FetchFailure(error).sentence(for: completedURL, over: connection))
    throw ExitCode.failure
  }

  private func converse(over tool: ToolSession) async throws {
    var request = try RequestArguments.parse([]).request(for: Self.httpURL(of: completedURL), hasBody: false)
    headers.add(to: &request)
    connection.apply(to: &request)
    credentials.settings.apply(to: &request)
    Version.addUserAgent(to: &request)
    headers.removeDefaults(from: &request)
    var options = WebSocketOptions()
    options.subprotocols = subprotocol
    options.compression = compress ? WebSocketCompression() : nil
    if let closeTimeout { options.closeTimeout = closeTimeout.duration }
    let socket = try await tool.session(for: request).webSocket(
      request.url.absoluteString, headerFields: request.headerFields, options: request.options, webSocket: options)
    let complaint = Mutex<(any Error)?>(nil)
    // Nobody waits for it: standard input may still be open when the server has closed.
    let sending = Task {
      do {
        var lines = InputLines(.standard)
        while let line = try await lines.next() { try await socket.send(String(decoding: line, as: UTF8.self)) }
        if !keepOpen { try await socket.close() }
      } catch is NetworkError {
        // Who receives learns why nothing can be sent.
      } catch {
        complaint.withLock { $0 = error }
        socket.cancel()
      }
    }
    defer { sending.cancel() }
    do {
      for try await message in socket.messages { try await Self.show(message) }
    } catch {
      throw complaint.withLock { $0 } ?? error
    }
    let closure = socket.closure ?? WebSocketClosure(.abnormal)
    guard [.normal, .goingAway, .noCode].contains(closure.code) else {
      let reason = closure.reason.isEmpty ? "" : ": \(closure.reason)"
      StandardError.write(
        FailureLine.text(
          FetchFailure.withoutSecrets(completedURL), "The server closed with \(closure.code)\(reason)",
          kind: .connectionLost, stage: NetworkError.Stage.receivingBody.phrase))
      throw ExitCode.failure
    }
  }

  private static func show(_ message: WebSocketMessage) async throws {
    switch message {
    case .text(let text): try await StandardOutput.writeLine(text)
    case .binary(let data): try data.withUnsafeBytes { try StandardOutput.write($0) }
    }
  }

  /// The URL with a scheme.
  private var completedURL: String { BareURL.completed(url, secure: "wss", plain: "ws") }

  /// Returns the URL of a WebSocket with the scheme of HTTP.
  static func httpURL(of url: String) -> String {
    for (scheme, other) in [("ws://", "http://"), ("wss://", "https://")]
    where url.prefix(scheme.count).lowercased() == scheme {
      return other + url.dropFirst(scheme.count)
    }
    return url
  }
}
