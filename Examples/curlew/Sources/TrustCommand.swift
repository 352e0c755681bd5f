import ArgumentParser
import CurlewCore
import CurlewLoading
import CurlewSecurity
import FoundationEssentials
import HTTPTypes

/// `curlew trust`.
struct TrustCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Shows a server's certificates, whether they are trusted and why, and its pins.",
    discussion: """
      Connects and breaks off inside the handshake: no request is sent. Exit code 1 when the server is not trusted, or \
      showed nothing.

      EXAMPLES
        curlew trust example.com
        curlew trust --cacert company.pem intranet.example:8443
        curlew trust --pin sha256/… example.com
      """)

  @Argument(help: ArgumentHelp("Whom to look at. The port is 443 where none is given.", valueName: "host[:port]"))
  var host: String
  @OptionGroup(title: "Trust") var trust: TrustArguments
  @OptionGroup(title: "Connection") var connection: ConnectionArguments

  func validate() throws { _ = try origin() }

  func run() async throws {
    let (origin, trust) = (try origin(), try trust.settings())
    try await Interruption.guarding { try await self.look(at: origin, trust) }
  }

  private func look(at origin: Origin, _ trust: TrustSettings) async throws {
    let probe = TrustProbe(try trust.evaluator ?? SecurityPolicy.system())
    let session = try ToolSession(
      connection, trust: TrustSettings(evaluator: probe, identity: trust.identity), parallel: 1, tracing: false)
    var request = try Request(.head, "\(origin)/")
    connection.apply(to: &request)
    // The host that was named is looked at, and not the one it points to.
    request.options.redirectLimit = 0
    let outcome: Result<Response, any Error>
    do {
      outcome = .success(try await session.loader.load(request, in: Exchange(session.settings(request))))
    } catch {
      outcome = .failure(error)
    }
    try await session.end()
    guard let finding = probe.finding else {
      try Task.checkCancellation()
      if case .failure(let error) = outcome { StandardError.write(FetchFailure(error).sentence(for: host)) }
      throw ExitCode.failure
    }
    try StandardOutput.write(TrustText(origin: origin, finding: finding).text)
    if finding.refusal != nil { throw ExitCode.failure }
  }

  /// Reads `HOST`, `HOST:PORT`, `[IPv6]:PORT` or an `https` URL.
  private func origin() throws -> Origin {
    let isBare = host.filter { $0 == ":" }.count > 1 && !host.hasPrefix("[") && !host.contains("://")
    let text = host.contains("://") ? host : "https://" + (isBare ? "[\(host)]" : host)
    guard let url = URL(string: text), let origin = try? Origin(url), origin.scheme == .https else {
      throw ValidationError("'\(host)' is no host, or none with TLS.")
    }
    return origin
  }
}
