/// Requests that wait for a place, by priority and then by order of arrival.
struct WaitingLine<Waiting: AnyObject> {
  // The next request is the last element.
  private var places: [(priority: Int8, waiting: Waiting)] = []

  var isEmpty: Bool { places.isEmpty }

  mutating func append(_ waiting: Waiting, priority: Int8) {
    let index = places.firstIndex { $0.priority >= priority } ?? places.endIndex
    places.insert((priority, waiting), at: index)
  }

  mutating func next() -> Waiting? { places.popLast()?.waiting }

  /// Removes a request; returns false if it was not waiting.
  mutating func remove(_ waiting: Waiting) -> Bool {
    guard let index = places.firstIndex(where: { $0.waiting === waiting }) else { return false }
    places.remove(at: index)
    return true
  }

  mutating func removeAll() -> [Waiting] {
    defer { places = [] }
    return places.reversed().map(\.waiting)
  }
}
