import CurlewCore
import FoundationEssentials

/// The protection spaces whose credential was right, and where their bounds are.
///
/// One origin's spaces are never looked at for another, and `http` and `https` are two origins.
struct KnownSpaces {
  struct Entry: Sendable {
    var space: ProtectionSpace
    var credential: Credential
    /// The nonce in use, under the Digest scheme.
    var session: DigestSession?
    /// Targets that begin like one of these are in the space.
    var prefixes: [String]
  }

  private struct Key: Hashable {
    var origin: Origin
    var isProxy: Bool
  }

  /// The most prefixes that are remembered for one space.
  static let maximumPrefixes = 64

  private let limit: Int
  private var entries: [Key: [Entry]] = [:]
  /// The spaces in the order in which they were learnt.
  private var order: [ProtectionSpace] = []

  /// - Parameter limit: The most spaces; past it the oldest is forgotten.
  init(limit: Int) { self.limit = limit }

  /// Whether nothing was learnt yet, or all was forgotten.
  var isEmpty: Bool { entries.isEmpty }

  /// The space that a target is in, as far as is known: that of the longest prefix.
  func entry(for origin: Origin, isProxy: Bool, target: String?) -> Entry? {
    guard let known = entries[Key(origin: origin, isProxy: isProxy)] else { return nil }
    if isProxy { return known.last }
    guard let target else { return nil }
    var best: (entry: Entry, length: Int)?
    for entry in known {
      for prefix in entry.prefixes where prefix.utf8.count > best?.length ?? -1 && target.utf8.starts(with: prefix.utf8)
      {
        best = (entry, prefix.utf8.count)
      }
    }
    return best?.entry
  }

  /// Takes a credential that was right.
  ///
  /// - Parameter path: Where; nil adds no prefix.
  mutating func learn(_ space: ProtectionSpace, _ credential: Credential, _ session: DigestSession?, path: String?) {
    guard limit > 0 else { return }
    let key = Key(origin: space.origin, isProxy: space.isProxy)
    var known = entries[key] ?? []
    let index = known.firstIndex { $0.space == space }
    var entry = Entry(space: space, credential: credential, session: session, prefixes: [])
    if let index { entry.prefixes = known[index].prefixes }
    if let session {
      entry.prefixes = Self.prefixes(of: session.challenge, on: space.origin)
    } else if let path {
      Self.add(path, to: &entry.prefixes)
    }
    if let index {
      known.remove(at: index)
    } else {
      order.append(space)
    }
    // A proxy's newest space is the last.
    known.append(entry)
    entries[key] = known
    while order.count > limit { forget(order[0]) }
  }

  /// Forgets a space, or only while it has this credential.
  mutating func forget(_ space: ProtectionSpace, ifWith credential: Credential? = nil) {
    let key = Key(origin: space.origin, isProxy: space.isProxy)
    guard var known = entries[key], let index = known.firstIndex(where: { $0.space == space }) else { return }
    guard credential.map({ $0 == known[index].credential }) ?? true else { return }
    known.remove(at: index)
    entries[key] = known.isEmpty ? nil : known
    order.removeAll { $0 == space }
  }

  /// Forgets all.
  mutating func removeAll() {
    entries = [:]
    order = []
  }

  /// RFC 7617 §2.2: all at or below the depth of the last segment.
  private static func add(_ path: String, to prefixes: inout [String]) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
    let prefix = String(path[...slash])
    guard !prefixes.contains(where: { prefix.utf8.starts(with: $0.utf8) }) else { return }
    prefixes.removeAll { $0.utf8.starts(with: prefix.utf8) }
    if prefixes.count < maximumPrefixes { prefixes.append(prefix) }
  }

  /// RFC 7616 §3.3: what begins like a URI of `domain`; all of the origin without one.
  ///
  /// The RFC lets `domain` name other servers; they are left out, since no credential goes to another origin.
  private static func prefixes(of challenge: DigestChallenge, on origin: Origin) -> [String] {
    guard !challenge.domain.isEmpty else { return ["/"] }
    return challenge.domain.compactMap { text in
      if text.hasPrefix("/"), !text.hasPrefix("//") { return text }
      guard let place = URL(string: text).map({ RequestPlace($0) }), (try? place.origin) == origin else { return nil }
      return RequestTarget.text(of: place)
    }
  }
}
