import CurlewCore
import FoundationEssentials

/// The protection spaces whose credentials worked, with the URLs they cover.
///
/// Spaces are kept by origin, and by who gave the credential; `http` and `https` are two origins.
struct KnownSpaces {
  struct Entry: Sendable {
    var space: ProtectionSpace
    var credential: Credential
    /// Whose answer it was; nil for a credential from the store, which is everybody's.
    var answerer: ChallengeAnswerer?
    /// The nonce in use; nil for schemes other than Digest.
    var session: DigestSession?
    /// The prefixes of the request targets that belong to the space.
    var prefixes: [String]
  }

  private struct Key: Hashable {
    var origin: Origin
    var isProxy: Bool
    var answerer: ChallengeAnswerer?
  }

  /// The most prefixes that are remembered for one space.
  static let maximumPrefixes = 64

  private let limit: Int
  private var entries: [Key: [Entry]] = [:]
  /// The spaces, the oldest first.
  private var order: [(space: ProtectionSpace, answerer: ChallengeAnswerer?)] = []

  /// - Parameter limit: The most spaces; beyond it the oldest is forgotten.
  init(limit: Int) { self.limit = limit }

  /// Whether no space is known.
  var isEmpty: Bool { entries.isEmpty }

  /// Returns the space with the longest matching prefix of the target, if any.
  ///
  /// - Parameter answerer: Who answers the challenges of the request; of two spaces that match alike, its own is returned.
  func entry(for origin: Origin, isProxy: Bool, target: String?, _ answerer: ChallengeAnswerer?) -> Entry? {
    var key = Key(origin: origin, isProxy: isProxy, answerer: answerer)
    var known = entries[key] ?? []
    key.answerer = nil
    if answerer != nil {
      if isProxy, let own = known.last { return own }
      known += entries[key] ?? []
    }
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

  /// Remembers a credential that worked.
  ///
  /// - Parameters:
  ///   - answerer: Whose answer it was; nil for a credential from the store.
  ///   - path: The path that the credential worked for; nil adds no prefix.
  mutating func learn(
    _ space: ProtectionSpace, _ credential: Credential, _ session: DigestSession?, by answerer: ChallengeAnswerer?,
    path: String?
  ) {
    guard limit > 0 else { return }
    let key = Key(origin: space.origin, isProxy: space.isProxy, answerer: answerer)
    var known = entries[key] ?? []
    let index = known.firstIndex { $0.space == space }
    var entry = Entry(space: space, credential: credential, answerer: answerer, session: session, prefixes: [])
    if let index { entry.prefixes = known[index].prefixes }
    if let session {
      entry.prefixes = Self.prefixes(of: session.challenge, on: space.origin)
    } else if let path {
      Self.add(path, to: &entry.prefixes)
    }
    if let index {
      known.remove(at: index)
    } else {
      order.append((space, answerer))
    }
    // For proxies, `entry` returns the last space, which is the newest.
    known.append(entry)
    entries[key] = known
    while order.count > limit { forget(order[0].space, by: order[0].answerer) }
  }

  /// Forgets a space; with a credential, only when the space still has that one.
  mutating func forget(
    _ space: ProtectionSpace, by answerer: ChallengeAnswerer?, ifWith credential: Credential? = nil
  ) {
    let key = Key(origin: space.origin, isProxy: space.isProxy, answerer: answerer)
    guard var known = entries[key], let index = known.firstIndex(where: { $0.space == space }) else { return }
    guard credential.map({ $0 == known[index].credential }) ?? true else { return }
    known.remove(at: index)
    entries[key] = known.isEmpty ? nil : known
    order.removeAll { $0.space == space && $0.answerer == answerer }
  }

  /// Forgets every space.
  mutating func removeAll() {
    entries = [:]
    order = []
  }

  /// Adds the directory of a path to the space (RFC 7617 §2.2).
  ///
  /// Everything at or below the directory belongs to the space.
  private static func add(_ path: String, to prefixes: inout [String]) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
    let prefix = String(path[...slash])
    guard !prefixes.contains(where: { prefix.utf8.starts(with: $0.utf8) }) else { return }
    prefixes.removeAll { $0.utf8.starts(with: prefix.utf8) }
    if prefixes.count < maximumPrefixes { prefixes.append(prefix) }
  }

  /// Returns the prefixes that `domain` names, by default `/` (RFC 7616 §3.3).
  ///
  /// URIs on other servers, which the RFC allows, are ignored: no credential is sent to another origin.
  private static func prefixes(of challenge: DigestChallenge, on origin: Origin) -> [String] {
    guard !challenge.domain.isEmpty else { return ["/"] }
    return challenge.domain.compactMap { text in
      if text.hasPrefix("/"), !text.hasPrefix("//") { return text }
      guard let place = URL(keepingEscapes: text).map({ ParsedURL($0) }), (try? place.origin) == origin else {
        return nil
      }
      return RequestTarget.text(of: place)
    }
  }
}
