import ArgumentParser
import CurlewCore
import CurlewLoading
import CurlewSecurity
import FoundationEssentials
import HTTPTypes

/// The command `curlew trust`.
struct TrustCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Shows a server's certificates, whether they are trusted and why, and its pins.",
    discussion: """
      Connects and breaks off inside the handshake: no request is sent. Also says whether the key exchange of the \
      handshake works. Exit code 1 when it does not, when the server is not trusted, or when it showed nothing.

      EXAMPLES
        curlew trust example.com
        curlew trust --cacert company.pem intranet.example:8443
        curlew trust --pin sha256/… example.com
      """)

  @Argument(help: ArgumentHelp("The server to inspect. The default port is 443.", valueName: "host[:port]"))
  var host: String
  @OptionGroup(title: "Trust") var trust: TrustArguments
  @OptionGroup(title: "Connection") var connection: ConnectionArguments

  func validate() throws { _ = try origin() }

  func run() async throws {
    let origin = try origin()
    try await Interruption.guarding { try await self.look(at: origin, try await self.trust.settings()) }
  }

  private func look(at origin: Origin, _ trust: TrustSettings) async throws {
    let evaluator = try trust.evaluator ?? SecurityPolicy.system()
    let late = TrustProbe(evaluator, isLate: true)
    let failure = try await shake(hands: late, with: origin, as: trust.identity)
    var (finding, handshake) = (late.finding, FetchFailure?.none)
    if finding == nil {
      // The server may have shown certificates before the handshake failed. A server that stapled no OCSP response is
      // refused behind the key exchange, which therefore works.
      let early = TrustProbe(evaluator, isLate: false)
      _ = try await shake(hands: early, with: origin, as: trust.identity)
      finding = early.finding
      if failure?.trust != .revocationUnknown { handshake = failure }
    }
    guard let finding else {
      if var failure {
        // No redirect is followed, so the failure is the host's.
        (failure.url, failure.ownAdvice) = (nil, Self.advice[failure.kind])
        StandardError.write(failure.sentence(for: host, over: connection))
      }
      throw ExitCode.failure
    }
    try StandardOutput.write(TrustText(origin: origin, finding: finding, handshake: handshake).text)
    if finding.refusal != nil || handshake != nil { throw ExitCode.failure }
  }

  /// Connects with the probe as the evaluator, and returns the failure of the handshake.
  ///
  /// - Throws: `CancellationError`; `ToolFailure`.
  private func shake(
    hands probe: TrustProbe, with origin: Origin, as identity: ClientIdentity?
  ) async throws -> FetchFailure? {
    let session = try ToolSession(
      connection, trust: TrustSettings(evaluator: probe, identity: identity), parallel: 1, trace: nil)
    var request = try Request(.head, "\(origin)/")
    connection.apply(to: &request)
    // Inspect the named host itself, not the target of its redirect.
    request.options.redirectLimit = 0
    var failure: FetchFailure?
    do {
      _ = try await session.loader.load(request, in: Exchange(session.settings(request)))
    } catch {
      failure = FetchFailure(error)
    }
    try await session.end()
    try Task.checkCancellation()
    return failure
  }

  /// The advice where there is no URL in which another scheme could be written.
  static let advice: [String: String] = [
    NetworkError.Kind.handshakeFailed.rawValue: mayLackTLS, NetworkError.Kind.connectionLost.rawValue: mayLackTLS,
    NetworkError.Kind.connectTimedOut.rawValue: "check that the server answers, and speaks TLS at this port",
  ]
  private static let mayLackTLS = "check the port: a server that speaks no TLS there has no certificates"

  /// Parses `HOST`, `HOST:PORT`, `[IPv6]:PORT` or an `https` URL.
  private func origin() throws -> Origin {
    let isBare = host.filter { $0 == ":" }.count > 1 && !host.hasPrefix("[") && !host.contains("://")
    let text = host.contains("://") ? host : "https://" + (isBare ? "[\(host)]" : host)
    guard let url = URL(string: text), let origin = try? Origin(url), origin.scheme == .https else {
      throw ValidationError("'\(host)' is not a host name, an address or an https URL.")
    }
    return origin
  }
}
