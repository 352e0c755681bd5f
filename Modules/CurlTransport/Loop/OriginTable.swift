import CurlewCore

/// Entries by origin, with a cache for the last origin.
///
/// Consecutive requests mostly have the same origin, and the cache avoids hashing it.
struct OriginTable<Entry: AnyObject> {
  private var entries: [Origin: Entry] = [:]
  private var last: (key: Origin, entry: Entry)?

  var count: Int { entries.count }

  /// All entries, in any order.
  var all: some Sequence<Entry> { entries.values }

  /// The entry of an origin; nil if the table has no such entry.
  subscript(key: Origin) -> Entry? {
    mutating get {
      if let last, last.key == key { return last.entry }
      guard let entry = entries[key] else { return nil }
      last = (key, entry)
      return entry
    }
  }

  /// Returns the entry of an origin, creating it if necessary.
  mutating func entry(_ key: Origin, orMake make: () -> Entry) -> Entry {
    if let entry = self[key] { return entry }
    let entry = make()
    entries[key] = entry
    last = (key, entry)
    return entry
  }

  mutating func remove(_ key: Origin) {
    entries[key] = nil
    last = nil
  }
}
