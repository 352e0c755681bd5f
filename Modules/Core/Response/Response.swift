/// A response whose head has arrived and whose body can be read.
///
/// It consists of two references, because it passes every interceptor and every waiting frame; the head is copied on
/// write.
public struct Response: Sendable {
  @usableFromInline var storage: Storage
  /// The body, which may still be arriving.
  public var body: ResponseBody

  /// Creates a response from a head and a body.
  public init(head: ResponseHead, body: ResponseBody) {
    storage = Storage(head)
    self.body = body
  }

  /// The status and header fields.
  public var head: ResponseHead {
    @inlinable get { storage.head }
    @inlinable _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.head) }
      yield &storage.head
    }
  }

  // Safe because a response only changes it while it holds the only reference.
  @usableFromInline final class Storage: @unchecked Sendable {
    @usableFromInline var head: ResponseHead

    @usableFromInline init(_ head: ResponseHead) { self.head = head }
  }
}
