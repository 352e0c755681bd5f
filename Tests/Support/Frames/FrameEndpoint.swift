package import CurlewTestSupport

/// An endpoint that can start an HTTP/2 server whose frames are chosen one by one.
///
/// Its `features` have `frames`.
package protocol FrameEndpoint: ConformanceEndpoint {
  /// Starts the server with the endpoint's own certificate.
  ///
  /// - Throws: `OriginError` when it cannot be started.
  func openFrames(_ script: @escaping @Sendable (FrameOrigin.Request) -> [FrameStep]) throws -> FrameOrigin
}

extension ConformanceKit {
  /// Starts an HTTP/2 server that answers with chosen frames, until the rule is over.
  ///
  /// - Throws: `ConformanceSkip` if the endpoint does not support it; `OriginError` when the server cannot be started.
  package func serveFrames(
    _ script: @escaping @Sendable (FrameOrigin.Request) -> [FrameStep]
  ) throws -> FrameOrigin {
    guard let endpoint = endpoint as? any FrameEndpoint else {
      throw ConformanceSkip("\(endpoint.name) cannot choose frames")
    }
    let origin = try endpoint.openFrames(script)
    atEnd { origin.stop() }
    return origin
  }
}
