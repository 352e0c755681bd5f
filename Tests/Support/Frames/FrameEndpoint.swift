package import CurlewTestSupport

/// An endpoint that can start an HTTP/2 server whose frames are chosen one by one.
///
/// Its `features` have `frames`.
package protocol FrameEndpoint: ConformanceEndpoint {
  /// Starts the server with the endpoint's own certificate.
  ///
  /// - Parameter ignored: The numbers of the connections on which the server never says anything.
  /// - Throws: `OriginError` when it cannot be started.
  func openFrames(
    ignoring ignored: Range<Int>, _ script: @escaping @Sendable (FrameOrigin.Request) -> [FrameStep]
  ) throws -> FrameOrigin
}

extension ConformanceKit {
  /// Starts an HTTP/2 server that answers with chosen frames, until the rule is over.
  ///
  /// - Parameter ignored: The numbers of the connections on which the server never says anything.
  /// - Throws: `ConformanceSkip` if the endpoint does not support it; `OriginError` when the server cannot be started.
  package func serveFrames(
    ignoring ignored: Range<Int> = 0..<0, _ script: @escaping @Sendable (FrameOrigin.Request) -> [FrameStep]
  ) throws -> FrameOrigin {
    guard let endpoint = endpoint as? any FrameEndpoint else {
      throw ConformanceSkip("\(endpoint.name) cannot choose frames")
    }
    let origin = try endpoint.openFrames(ignoring: ignored, script)
    atEnd { origin.stop() }
    return origin
  }
}
