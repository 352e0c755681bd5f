public import FoundationEssentials
public import HTTPTypes

/// Makes the bytes of a `ResponseBody` when they are asked for.
///
/// It is what an interceptor reads stored content with, or changes a body with (`ResponseBody.wrapped`). A transport puts
/// its bytes into a `BodyChannel` instead, and whoever only looks at bytes is a `BodyTap`. `next` is called by one task at a
/// time and never again after the end or an error; the end may suspend. `cancel` may be called at any time, from any
/// isolation, more than once.
public protocol ResponseBodySource: AnyObject, Sendable {
  /// The next bytes; nil at the end.
  ///
  /// - Throws: `NetworkError`, or `CancellationError` once cancelled.
  nonisolated(nonsending) func next() async throws -> Data?

  /// Gives up the rest and releases what carries it; `next` throws from then on, since to return nil would make what was
  /// read so far look like all of it.
  func cancel()

  /// Says that the bytes are not what they should be; gives up the rest, and whoever keeps a copy forgets it.
  ///
  /// Called, also after the end, by a source that understands the bytes it reads: content that is complete on the wire may
  /// be cut inside its coding, and must not come from a cache the next time. A source that changes another's bytes hands
  /// it on.
  func reject() async

  /// The trailer fields, once the end was reached.
  var trailers: HTTPFields? { get }
}

extension ResponseBodySource {
  /// Gives up the rest, for a source that keeps no copy.
  public func reject() async { cancel() }
}
