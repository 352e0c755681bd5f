/// A response whose head has arrived and whose body waits to be read.
///
/// Two references, since it passes every interceptor and every frame that waits for one; a copy has a head of its own as
/// soon as it is changed.
public struct Response: Sendable {
  @usableFromInline var storage: Storage
  /// The content, still on its way.
  public var body: ResponseBody

  /// Puts a head and a body together.
  public init(head: ResponseHead, body: ResponseBody) {
    storage = Storage(head)
    self.body = body
  }

  /// Status and header fields.
  public var head: ResponseHead {
    @inlinable get { storage.head }
    @inlinable _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.head) }
      yield &storage.head
    }
  }

  // Safe because only a response that alone refers to it changes it.
  @usableFromInline final class Storage: @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var head: ResponseHead

    @usableFromInline init(_ head: ResponseHead) { self.head = head }
  }
}
