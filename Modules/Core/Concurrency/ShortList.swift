/// A list that keeps its first element in place.
///
/// Most lists of waiting tasks and of pending work have one element, for which an array would allocate memory. Everything is
/// inlinable, like `Waiters`.
@usableFromInline package struct ShortList<Element> {
  /// Nil only in an empty list.
  @usableFromInline var first: Element?
  /// The elements after the first.
  @usableFromInline var others: [Element] = []

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { first == nil }

  @inlinable package mutating func append(_ element: Element) {
    if first == nil { first = element } else { others.append(element) }
  }

  /// Removes and returns the first element; nil if the list is empty.
  @inlinable package mutating func popFirst() -> Element? {
    let popped = first
    first = others.isEmpty ? nil : others.removeFirst()
    return popped
  }

  /// Removes and returns the first element that matches; nil if none does.
  @inlinable package mutating func removeFirst(where matches: (Element) -> Bool) -> Element? {
    guard let first else { return nil }
    if matches(first) { return popFirst() }
    return others.firstIndex(where: matches).map { others.remove(at: $0) }
  }
}

extension ShortList: Sequence {
  /// Reads the elements in order.
  @usableFromInline package struct Iterator: IteratorProtocol {
    @usableFromInline var first: Element?
    @usableFromInline var others: IndexingIterator<[Element]>

    @inlinable init(_ list: ShortList) {
      first = list.first
      others = list.others.makeIterator()
    }

    @inlinable package mutating func next() -> Element? {
      guard let element = first else { return others.next() }
      first = nil
      return element
    }
  }

  @inlinable package func makeIterator() -> Iterator { Iterator(self) }
}

extension ShortList: ExpressibleByArrayLiteral {
  @inlinable package init(arrayLiteral elements: Element...) {
    first = elements.first
    others = Array(elements.dropFirst())
  }
}

extension ShortList: Sendable where Element: Sendable {}
