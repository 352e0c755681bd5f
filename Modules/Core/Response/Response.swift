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

  /// Creates a response whose head others hold too; a change copies it.
  init(sharing storage: Storage, body: ResponseBody) {
    self.storage = storage
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

extension Response {
  /// Ends the response before the next request of the same exchange is sent.
  ///
  /// Reads a short rest of the body, so that the connection can be used again. Cancels the body when it is longer than the
  /// limit or does not end in time.
  ///
  /// - Parameters:
  ///   - limit: The most bytes to read.
  ///   - time: The longest time to read for.
  ///   - clock: Measures the time.
  package func discard(upTo limit: Int, within time: Duration, on clock: any NetworkClock) async {
    let body = body
    if let expected = head.expectedLength {
      guard expected <= limit else { return body.cancel() }
      if expected == 0 {
        await body.discard(upTo: 0)
        return
      }
    }
    let deadline = clock.now.advanced(by: time)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await body.discard(upTo: limit) }
      group.addTask { try? await clock.sleep(until: deadline) }
      await group.next()
      group.cancelAll()
    }
  }
}
