/// A heap whose elements can be moved or removed by number, in O(log n).
///
/// Among equal keys the smallest number comes first.
struct IndexedHeap<Key: Comparable & Sendable>: Sendable {
  private struct Entry {
    var key: Key
    let id: Int32

    static func < (left: Entry, right: Entry) -> Bool {
      left.key < right.key || left.key == right.key && left.id < right.id
    }
  }

  private var entries: [Entry] = []
  private var places: [Int32: Int32] = [:]

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  /// The element with the smallest key.
  var first: (id: Int, key: Key)? { entries.first.map { (Int($0.id), $0.key) } }

  func contains(_ id: Int) -> Bool { places[Int32(id)] != nil }

  /// Adds an element, or changes its key.
  mutating func set(_ id: Int, _ key: Key) {
    let id = Int32(id)
    if let place = places[id] {
      entries[Int(place)].key = key
      settle(Int(place))
    } else {
      entries.append(Entry(key: key, id: id))
      rise(entries.count - 1)
    }
  }

  /// Removes an element if it exists.
  mutating func remove(_ id: Int) {
    guard let place = places.removeValue(forKey: Int32(id)).map({ Int($0) }) else { return }
    let last = entries.removeLast()
    guard place < entries.count else { return }
    entries[place] = last
    settle(place)
  }

  private mutating func settle(_ place: Int) {
    if place > 0, entries[place] < entries[(place - 1) / 2] { rise(place) } else { sink(place) }
  }

  private mutating func rise(_ start: Int) {
    let entry = entries[start]
    var place = start
    while place > 0 {
      let parent = (place - 1) / 2
      guard entry < entries[parent] else { break }
      put(entries[parent], at: place)
      place = parent
    }
    put(entry, at: place)
  }

  private mutating func sink(_ start: Int) {
    let entry = entries[start]
    var place = start
    while true {
      var child = 2 * place + 1
      guard child < entries.count else { break }
      if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
      guard entries[child] < entry else { break }
      put(entries[child], at: place)
      place = child
    }
    put(entry, at: place)
  }

  private mutating func put(_ entry: Entry, at place: Int) {
    entries[place] = entry
    places[entry.id] = Int32(place)
  }
}
