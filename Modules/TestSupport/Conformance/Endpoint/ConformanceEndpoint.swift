package import CurlewCore
package import FoundationEssentials

/// The server's side of conformance: answers what it is told, by whatever means it has.
///
/// An answer is described once, as data; an endpoint plays it over HTTP/1.1, over TLS, through a proxy that speaks
/// HTTP/2, or without any socket. It states what it can produce, and rules that need more are skipped.
package protocol ConformanceEndpoint: Sendable {
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
}

extension ConformanceEndpoint {
  /// Needs nothing.
  package var settings: ExchangeSettings { ExchangeSettings() }
  /// Shows none.
  package var certificates: [Data] { [] }
}
