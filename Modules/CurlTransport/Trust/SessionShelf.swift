/// Sessions that may be resumed, of limited number, without I/O.
struct SessionShelf<Key: Hashable, Session> {
  private struct Entry {
    let key: Key
    let session: Session
    let until: UInt64
    let isSingleUse: Bool
  }

  /// The most sessions in total, and the most of one key.
  private let (mostInAll, mostPerKey): (Int, Int)
  /// The most keys to remember whose sessions are not kept.
  private static var mostRefused: Int { 64 }
  /// The sessions, oldest first.
  private var entries: [Entry] = []
  private var refused: [(key: Key, until: UInt64)] = []

  init(mostInAll: Int, mostPerKey: Int) { (self.mostInAll, self.mostPerKey) = (mostInAll, mostPerKey) }

  var count: Int { entries.count }
  /// All sessions, oldest first.
  var all: [Session] { entries.map(\.session) }

  /// Keeps a session until a time, in nanoseconds.
  ///
  /// The oldest sessions beyond the limits are dropped. A session that may be used several times replaces the others of its
  /// kind.
  mutating func keep(_ session: Session, for key: Key, until: UInt64, isSingleUse: Bool, now: UInt64) {
    guard until > now, !refused.contains(where: { $0.key == key && $0.until > now }) else { return }
    entries.removeAll { $0.until <= now || ($0.key == key && !$0.isSingleUse && !isSingleUse) }
    entries.append(Entry(key: key, session: session, until: until, isSingleUse: isSingleUse))
    if entries.count(where: { $0.key == key }) > mostPerKey, let oldest = entries.firstIndex(where: { $0.key == key }) {
      entries.remove(at: oldest)
    }
    if entries.count > mostInAll { entries.removeFirst() }
  }

  /// Returns the newest session of a key, and whether it is the last use of it; nil without one.
  mutating func take(_ key: Key, now: UInt64) -> (session: Session, isLastUse: Bool)? {
    guard let index = entries.lastIndex(where: { $0.key == key && $0.until > now }) else { return nil }
    let entry = entries[index]
    if entry.isSingleUse { entries.remove(at: index) }
    return (entry.session, entry.isSingleUse)
  }

  /// Drops the sessions of a key.
  mutating func forget(_ key: Key) { entries.removeAll { $0.key == key } }

  /// Drops the sessions of a key, and keeps no further ones until a time.
  mutating func refuse(_ key: Key, until: UInt64) {
    forget(key)
    refused.removeAll { $0.key == key }
    if refused.count == Self.mostRefused { refused.removeFirst() }
    refused.append((key, until))
  }

  mutating func removeAll() { entries = [] }
}
