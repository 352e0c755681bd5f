/// A growing stack whose elements are moved in and out without counting references.
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

  @inline(__always)
  mutating func push(_ element: consuming Element) {
    if count == capacity { grow() }
    (base + count).initialize(to: element)
    count &+= 1
  }

  /// The elements from `start` on; they are the caller's to move out and no longer on the stack.
  @inline(__always)
  mutating func take(from start: Int) -> UnsafeMutableBufferPointer<Element> {
    let taken = UnsafeMutableBufferPointer(start: base + start, count: count - start)
    count = start
    return taken
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: base, count: count)
    base.deallocate()
    base = larger
    capacity *= 2
  }
}
