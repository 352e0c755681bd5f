/// Knows the suffixes below which anyone can register a name.
///
/// Examples are `com`, `co.uk` and `github.io`.
///
/// It is called for each cookie with a domain, while the response waits; from any isolation.
public protocol PublicSuffixes: Sendable {
  /// Returns the public suffix of a host, which may be the whole host.
  ///
  /// - Parameter host: A name, not an address, in the canonical form of `Origin.host` without a final dot.
  func publicSuffix(of host: String) -> String
}

extension PublicSuffixes {
  /// Returns whether a name is a public suffix as a whole.
  ///
  /// A final dot makes no difference.
  public func isPublicSuffix(_ host: String) -> Bool {
    let name = host.withoutRoot
    return publicSuffix(of: name) == name
  }

  /// Returns the public suffix with the label before it; nil without such a label.
  ///
  /// A final dot stays.
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
  /// The host without the final dot of the root, which does not affect its address.
  fileprivate var withoutRoot: String { utf8.last == UInt8(ascii: ".") ? String(dropLast()) : self }
}

/// Takes the last label of every name as its public suffix.
///
/// That is the rule for names that are in no list. It is too weak for cookies, because it allows a host below `co.uk`
/// to set cookies for all others there. Prefer `SystemPublicSuffixes`.
public struct TopLevelSuffixes: PublicSuffixes {
  /// Creates an instance.
  public init() {}

  /// Returns the last label.
  public func publicSuffix(of host: String) -> String {
    host.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(host[host.utf8.index(after: $0)...]) } ?? host
  }
}

extension PublicSuffixes where Self == TopLevelSuffixes {
  /// Only top-level domains.
  public static var topLevel: TopLevelSuffixes { TopLevelSuffixes() }
}
