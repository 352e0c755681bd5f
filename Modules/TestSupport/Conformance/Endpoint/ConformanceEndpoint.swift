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

/// The features that an endpoint can produce and observe.
package struct EndpointFeatures: OptionSet, Sendable, Hashable {
  /// The raw value of the set.
  package let rawValue: UInt32
  /// Creates a set from a raw value.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Sends over sockets of the loopback network.
  package static let sockets = EndpointFeatures(rawValue: 1 << 0)
  /// Sees requests as an HTTP/1.1 client writes them, with case and framing.
  package static let writtenRequests = EndpointFeatures(rawValue: 1 << 1)
  /// Receives the fields that the transport adds: `Host`, `Accept-Encoding`.
  package static let madeFields = EndpointFeatures(rawValue: 1 << 2)
  /// Sends reason phrases of its choice.
  package static let reasonPhrases = EndpointFeatures(rawValue: 1 << 3)
  /// Frames bodies with chunks or the connection's end, and as HTTP/1.0.
  package static let framings = EndpointFeatures(rawValue: 1 << 4)
  /// Sends any bytes, valid or not.
  package static let rawReplies = EndpointFeatures(rawValue: 1 << 5)
  /// Ends a body before its announced end.
  package static let cuts = EndpointFeatures(rawValue: 1 << 6)
  /// Resets connections, or ends them without an answer.
  package static let resets = EndpointFeatures(rawValue: 1 << 7)
  /// Sends trailers.
  package static let trailers = EndpointFeatures(rawValue: 1 << 8)
  /// Sends informational responses.
  package static let informational = EndpointFeatures(rawValue: 1 << 9)
  /// Decides when and whether to send `100 Continue`.
  package static let continues = EndpointFeatures(rawValue: 1 << 10)
  /// Answers before it has read the request's body.
  package static let earlyAnswers = EndpointFeatures(rawValue: 1 << 11)
  /// Leaves the request's body unread in the socket.
  package static let slowReading = EndpointFeatures(rawValue: 1 << 12)
  /// Reports how much of a body was sent.
  package static let progress = EndpointFeatures(rawValue: 1 << 13)
  /// Distinguishes the client's connections.
  package static let connections = EndpointFeatures(rawValue: 1 << 14)
  /// Notices a client that stops reading an answer.
  package static let departures = EndpointFeatures(rawValue: 1 << 15)
  /// Closes idle connections.
  package static let idleClosing = EndpointFeatures(rawValue: 1 << 16)
  /// Speaks TLS.
  package static let tls = EndpointFeatures(rawValue: 1 << 17)
  /// Speaks HTTP/2.
  package static let http2 = EndpointFeatures(rawValue: 1 << 18)
  /// Sends coded content to the transport's own decoder.
  package static let codings = EndpointFeatures(rawValue: 1 << 19)
  /// Also listens on `::1`.
  package static let ipv6 = EndpointFeatures(rawValue: 1 << 20)
  /// Sends a body while the request's body is still arriving.
  package static let fullDuplex = EndpointFeatures(rawValue: 1 << 21)
  /// Speaks plain HTTP.
  package static let plain = EndpointFeatures(rawValue: 1 << 22)
  /// Notices a request body that ends before its announced end.
  package static let brokenUploads = EndpointFeatures(rawValue: 1 << 23)
  /// Sends a head before there is any content.
  package static let earlyHeads = EndpointFeatures(rawValue: 1 << 24)
  /// Chooses the frames of HTTP/2 one by one.
  package static let frames = EndpointFeatures(rawValue: 1 << 25)
  /// Hands a connection to code after the head.
  package static let conversations = EndpointFeatures(rawValue: 1 << 26)

  /// The names of the features in this set, for messages.
  package var names: [String] { Self.named.filter { contains($0.0) }.map(\.1) }

  private static let named: [(EndpointFeatures, String)] = [
    (.sockets, "sockets"), (.writtenRequests, "requests as written"), (.madeFields, "fields made by the transport"),
    (.reasonPhrases, "reason phrases"), (.framings, "a choice of framing"), (.rawReplies, "raw replies"),
    (.cuts, "cut bodies"), (.resets, "resets"), (.trailers, "trailers"), (.informational, "informational responses"),
    (.continues, "a choice of 100 Continue"), (.earlyAnswers, "answers before the upload's end"),
    (.slowReading, "slow reading"), (.progress, "counts of bytes sent"), (.connections, "connections told apart"),
    (.departures, "notice of departures"), (.idleClosing, "closing of idle connections"), (.tls, "TLS"),
    (.http2, "HTTP/2"), (.codings, "coded content"), (.ipv6, "IPv6"), (.fullDuplex, "full duplex"),
    (.plain, "plain HTTP"), (.brokenUploads, "notice of broken uploads"), (.earlyHeads, "heads before content"),
    (.frames, "a choice of frames"), (.conversations, "two-way connections"),
  ]
}
