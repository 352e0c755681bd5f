/// A growing stack that moves elements without reference counting.
struct ParserStack<Element>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int) {
    self.capacity = max(capacity, 1)
    base = .allocate(capacity: self.capacity)
  }

  deinit {
    base.deinitialize(count: count)
    base.deallocate()
  }

  mutating func push(_ element: consuming Element) {
    if count == capacity { grow() }
    (base + count).initialize(to: element)
    count &+= 1
  }

  /// The last element; the stack must not be empty.
  var top: Element { (base + count - 1).pointee }

  /// Removes and returns the last element; the stack must not be empty.
  mutating func pop() -> Element {
    count &-= 1
    return (base + count).move()
  }

  /// Removes the elements from index `start` on, without moving them.
  ///
  /// The caller must move out each of them exactly once.
  mutating func take(from start: Int) -> TakenElements<Element> {
    let taken = TakenElements(position: base + start, end: base + count)
    count = start
    return taken
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}

/// Moves elements from a stack into an array, one by one.
///
/// When an array is created from a sequence with a known count, specialized code allocates its storage; for small
/// arrays this is several times as fast as `init(unsafeUninitializedCapacity:initializingWith:)`.
struct TakenElements<Element>: Sequence, IteratorProtocol {
  var position: UnsafeMutablePointer<Element>
  let end: UnsafeMutablePointer<Element>

  var underestimatedCount: Int { end - position }

  mutating func next() -> Element? {
    guard position < end else { return nil }
    defer { position += 1 }
    return position.move()
  }
}
