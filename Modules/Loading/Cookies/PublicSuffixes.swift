/// Knows under which names anyone can have a host, such as `com`, `co.uk` and `github.io`.
///
/// Asked for each cookie that names a domain, while its response waits. Called from any isolation.
public protocol PublicSuffixes: Sendable {
  /// The public suffix that a host ends in, which may be all of it.
  ///
  /// - Parameter host: Canonical, as in `Origin.host`, but without the root's dot at its end; no address.
  func publicSuffix(of host: String) -> String
}

extension PublicSuffixes {
  /// Whether a name is a public suffix as a whole; `co.uk.` is, where `co.uk` is.
  public func isPublicSuffix(_ host: String) -> Bool {
    let name = host.withoutRoot
    return publicSuffix(of: name) == name
  }

  /// The public suffix and the one label before it; nil when the host has none. The root's dot, where there is one, stays.
  public func registrableDomain(of host: String) -> String? {
    guard host == host.withoutRoot else { return registrableDomain(of: host.withoutRoot).map { $0 + "." } }
    let suffix = publicSuffix(of: host)
    let rest = host.dropLast(suffix.count + 1)
    guard !rest.isEmpty, host.hasSuffix("." + suffix) else { return nil }
    let label = rest.utf8.lastIndex(of: UInt8(ascii: ".")).map { rest[rest.utf8.index(after: $0)...] } ?? rest
    return label.isEmpty ? nil : label + "." + suffix
  }
}

extension String {
  /// A host without the root's dot, which makes no difference to where a name leads.
  fileprivate var withoutRoot: String { utf8.last == UInt8(ascii: ".") ? String(dropLast()) : self }
}

/// Takes the last label of every name for its public suffix, which is the rule where no list has another.
public struct TopLevelSuffixes: PublicSuffixes {
  /// Makes one; all are alike.
  public init() {}

  /// The last label.
  public func publicSuffix(of host: String) -> String {
    host.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(host[host.utf8.index(after: $0)...]) } ?? host
  }
}

extension PublicSuffixes where Self == TopLevelSuffixes {
  /// Top-level domains alone.
  public static var topLevel: TopLevelSuffixes { TopLevelSuffixes() }
}
