import CurlewCore

/// What is known of each origin, found without hashing when the one that was asked for last is asked for again: most
/// requests in a row go to one.
struct OriginTable<Entry: AnyObject> {
  private var entries: [Origin: Entry] = [:]
  private var last: (key: Origin, entry: Entry)?

  var count: Int { entries.count }

  /// All entries, in no order.
  var all: some Sequence<Entry> { entries.values }

  /// The entry of an origin; nil when there is none.
  subscript(key: Origin) -> Entry? {
    mutating get {
      if let last, last.key == key { return last.entry }
      guard let entry = entries[key] else { return nil }
      last = (key, entry)
      return entry
    }
  }

  /// The entry of an origin, which is made where there is none.
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
