public import CurlewCore
public import FoundationEssentials

/// The server's side of conformance: answers what it is told, by whatever means it has.
///
/// An answer is described once, as data; an endpoint plays it over HTTP/1.1, over TLS, through a proxy that speaks
/// HTTP/2, or without any socket. It states what it can produce, and rules that need more are skipped.
public protocol ConformanceEndpoint: Sendable {
  /// What it is, for messages.
  var name: String { get }
  /// What it can produce and observe.
  var features: EndpointFeatures { get }
  /// What an exchange needs to reach it, such as trust in its certificate.
  var settings: ExchangeSettings { get }
  /// The certificates it shows, DER, leaf first; empty without TLS.
  var certificates: [Data] { get }
  /// Opens a place that answers each request by a script, until the place is closed.
  func open(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace
  /// Starts an HTTP/2 server whose frames are chosen one by one, under the endpoint's own certificate.
  ///
  /// - Throws: `ConformanceSkip` unless `features` has `frames`; `OriginError` when nothing can be started.
  func openFrames(_ script: @escaping @Sendable (FrameOrigin.Request) -> [FrameStep]) throws -> FrameOrigin
}

extension ConformanceEndpoint {
  /// Needs nothing.
  public var settings: ExchangeSettings { ExchangeSettings() }
  /// Shows none.
  public var certificates: [Data] { [] }
  /// Has none.
  public func openFrames(_ script: @escaping @Sendable (FrameOrigin.Request) -> [FrameStep]) throws -> FrameOrigin {
    throw ConformanceSkip("\(name) does not choose frames")
  }
}
