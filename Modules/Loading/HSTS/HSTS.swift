public import CurlewCore
import FoundationEssentials
import HTTPTypes

/// Sends requests to hosts that have asked for it over TLS only (RFC 6797).
///
/// A host asks with the field `Strict-Transport-Security` in a response that came over TLS from the network. From then on, until the policy
/// ends, `http` URLs of the host are requested as `https`, with port 80 as 443 and any other port unchanged (§8.3). The field says
/// whether that is also true of the names below the host. IP addresses have no policy (§8.1.1).
///
/// At the place `hsts` of a chain it sees each hop, inside redirects: neither a redirect nor a stored one leads back to `http`. Cookies,
/// authentication and the cache are behind it and see `https`. Which servers are trusted is decided as always, by the trust evaluator: a host
/// with a policy that is not trusted fails, as any other does, and an evaluator that trusts every server also takes each server's policy.
///
/// ```swift
/// let hosts = try HSTSHosts("/home/wader/.hsts")
/// let session = try HTTPSession(baseURL: "https://api.example.com/v1/") { $0.chain.hsts = HSTS(hosts) }
/// // … requests …
/// try hosts.save()
/// ```
public struct HSTS: Interceptor {
  /// The hosts that are requested over TLS only.
  public let hosts: HSTSHosts

  /// Creates an interceptor with a list of hosts, which others may use, too.
  public init(_ hosts: HSTSHosts = HSTSHosts()) { self.hosts = hosts }

  /// Sends the request over TLS if its host has asked for that, and notes what the response asks for.
  public nonisolated(nonsending) func intercept(
    _ request: Request, in exchange: Exchange, next: Next
  ) async throws -> Response {
    let clock = exchange.settings.clock
    var request = request
    if let origin = try? request.origin, origin.scheme == .http,
      hosts.contains(origin.host, at: HTTPDate(clock.date))
    {
      // A request that cannot be changed fails here: it must not be sent in the clear.
      let secure = try Origin(scheme: .https, host: origin.host, port: origin.port == 80 ? nil : origin.port)
      request.url = try Request(request.method, secure.description + request.target).url
    }
    let response = try await next(request, in: exchange)
    note(response.head, clock)
    return response
  }

  /// Notes the policy of the host that answered over TLS; only the first field counts (§8.1).
  private func note(_ head: ResponseHead, _ clock: any NetworkClock) {
    guard head.source == .network,
      let text = head.headerFields.first(where: { $0.name == .strictTransportSecurity })?.value,
      let field = HSTSField(text), let origin = try? Origin(head.url), origin.scheme == .https
    else { return }
    let (end, overflows) = HTTPDate(clock.date).secondsSince1970.addingReportingOverflow(field.maxAge)
    hosts.set(
      origin.host, until: field.maxAge == 0 ? nil : HTTPDate(secondsSince1970: overflows ? .max : end),
      includesSubdomains: field.includesSubdomains)
  }
}
