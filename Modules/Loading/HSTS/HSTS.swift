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
/// authentication and the cache are behind it and see `https`. Which servers are trusted is decided as always, by the trust evaluator; a host
/// with a policy that is not trusted fails, as any other does.
///
/// ```swift
/// let hosts = try HSTSHosts(path: "/home/wader/.hsts")
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
    guard let origin = try? request.origin, !origin.isIPAddress else { return try await next(request, in: exchange) }
    let clock = exchange.settings.clock
    guard origin.scheme == .http else {
      return noted(try await next(request, in: exchange), origin, clock)
    }
    guard hosts.contains(origin.host, at: HTTPDate(clock.date)),
      let secure = try? Origin(scheme: .https, host: origin.host, port: origin.port == 80 ? nil : origin.port),
      let target = try? request.target, let url = URL(string: secure.description + target)
    else { return try await next(request, in: exchange) }
    var upgraded = request
    upgraded.url = url
    return noted(try await next(upgraded, in: exchange), secure, clock)
  }

  /// Notes the policy of a response, of which only the first field counts (§8.1).
  private func noted(_ response: Response, _ origin: Origin, _ clock: any NetworkClock) -> Response {
    guard response.head.source == .network,
      let text = response.head.headerFields.first(where: { $0.name == .strictTransportSecurity })?.value,
      let field = HSTSField(text)
    else { return response }
    let now = HTTPDate(clock.date)
    let (end, overflows) = now.secondsSince1970.addingReportingOverflow(field.maxAge)
    hosts.set(
      origin.host, until: field.maxAge == 0 ? nil : HTTPDate(secondsSince1970: overflows ? .max : end),
      includesSubdomains: field.includesSubdomains)
    return response
  }
}
