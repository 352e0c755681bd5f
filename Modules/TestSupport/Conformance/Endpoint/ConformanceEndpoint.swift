package import CurlewCore
package import FoundationEssentials

/// The server's side of conformance tests.
///
/// An answer is described once, as data. An endpoint sends it over HTTP/1.1, over TLS, through a proxy with HTTP/2, or without
/// any socket. It states what it can produce, and rules that need more are skipped.
package protocol ConformanceEndpoint: Sendable {
  /// The name of the endpoint, for messages.
  var name: String { get }
  /// The features that it can produce and observe.
  var features: EndpointFeatures { get }
  /// The settings that an exchange needs, such as trust in its certificate.
  var settings: ExchangeSettings { get }
  /// The certificates that it shows, in DER, leaf first; empty without TLS.
  var certificates: [Data] { get }
  /// Opens a place that answers each request by a script, until it is closed.
  func open(_ script: @escaping @Sendable (ConformanceRequest) -> ConformanceAnswer) -> ConformancePlace
}

extension ConformanceEndpoint {
  /// No special settings.
  package var settings: ExchangeSettings { ExchangeSettings() }
  /// No certificates.
  package var certificates: [Data] { [] }
}
