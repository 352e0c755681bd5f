package import CurlewCore
package import FoundationEssentials

extension Redirect {
  /// Prepares a request for a URL that a server has named in a response, such as the next page of a list.
  ///
  /// To another origin it takes along what a redirect there would: harmless fields, no credential, and no client certificate.
  ///
  /// - Parameters:
  ///   - first: The URL that the app asked for.
  ///   - settings: The settings of the request's exchange, which are changed with it.
  /// - Throws: `NetworkError` of kind `invalidRedirect` for a step from https to http that is not allowed.
  package func confine(
    _ request: inout Request, from first: URL, _ settings: inout ExchangeSettings
  ) throws(NetworkError) {
    guard let old = try? Origin(first), let new = try? request.origin, old != new else { return }
    let stripping = RedirectStripping(self, in: Exchange(settings))
    let stripped = stripping.stripped(of: request, from: old, to: new)
    do throws(RedirectRefusal) {
      try stripping.strip(&request, from: first)
    } catch {
      throw NetworkError(.invalidRedirect, stage: .preparing, message: "The next page leads from https to http.")
    }
    settings.userInfo[StrippedFields.self] = stripped
    if !carriesClientIdentity || old.scheme == .https && new.scheme == .http { settings.clientIdentity = nil }
  }
}
