/// What an endpoint can produce and observe.
public struct EndpointFeatures: OptionSet, Sendable, Hashable {
  /// The value that stands for it.
  public let rawValue: UInt32
  /// Creates one of the value that stands for it.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Requests travel through a socket of the loopback network.
  public static let sockets = EndpointFeatures(rawValue: 1 << 0)
  /// Requests are seen as an HTTP/1.1 client wrote them: case, framing, connection fields.
  public static let writtenRequests = EndpointFeatures(rawValue: 1 << 1)
  /// Fields that the transport makes arrive: `Host`, `Accept-Encoding`.
  public static let madeFields = EndpointFeatures(rawValue: 1 << 2)
  /// Sends reason phrases of its own.
  public static let reasonPhrases = EndpointFeatures(rawValue: 1 << 3)
  /// Frames bodies by chunks or by the connection's end, and as HTTP/1.0.
  public static let framings = EndpointFeatures(rawValue: 1 << 4)
  /// Sends any bytes, well-formed or not.
  public static let rawReplies = EndpointFeatures(rawValue: 1 << 5)
  /// Ends a body before its announced end.
  public static let cuts = EndpointFeatures(rawValue: 1 << 6)
  /// Resets connections, or ends them without an answer.
  public static let resets = EndpointFeatures(rawValue: 1 << 7)
  /// Sends trailers.
  public static let trailers = EndpointFeatures(rawValue: 1 << 8)
  /// Sends informational responses.
  public static let informational = EndpointFeatures(rawValue: 1 << 9)
  /// Decides when, and whether, `100 Continue` is sent.
  public static let continues = EndpointFeatures(rawValue: 1 << 10)
  /// Answers before it has read the request's body.
  public static let earlyAnswers = EndpointFeatures(rawValue: 1 << 11)
  /// Leaves the request's body in the socket.
  public static let slowReading = EndpointFeatures(rawValue: 1 << 12)
  /// Tells how much of a body has left.
  public static let progress = EndpointFeatures(rawValue: 1 << 13)
  /// Tells the client's connections apart.
  public static let connections = EndpointFeatures(rawValue: 1 << 14)
  /// Notices a client that gives an answer up.
  public static let departures = EndpointFeatures(rawValue: 1 << 15)
  /// Closes idle connections.
  public static let idleClosing = EndpointFeatures(rawValue: 1 << 16)
  /// Speaks TLS.
  public static let tls = EndpointFeatures(rawValue: 1 << 17)
  /// Speaks HTTP/2.
  public static let http2 = EndpointFeatures(rawValue: 1 << 18)
  /// Sends coded content through to the transport's own decoder.
  public static let codings = EndpointFeatures(rawValue: 1 << 19)
  /// Listens on `::1` too.
  public static let ipv6 = EndpointFeatures(rawValue: 1 << 20)
  /// Sends a body while the request's body still comes.
  public static let fullDuplex = EndpointFeatures(rawValue: 1 << 21)
  /// Speaks plain HTTP.
  public static let plain = EndpointFeatures(rawValue: 1 << 22)
  /// Notices a request body that ends before its announced end.
  public static let brokenUploads = EndpointFeatures(rawValue: 1 << 23)
  /// Sends a head before there is any content.
  public static let earlyHeads = EndpointFeatures(rawValue: 1 << 24)
  /// Chooses the frames of HTTP/2 one by one.
  public static let frames = EndpointFeatures(rawValue: 1 << 25)

  /// The names of the features in this set, for messages.
  public var names: [String] { Self.named.filter { contains($0.0) }.map(\.1) }

  private static let named: [(EndpointFeatures, String)] = [
    (.sockets, "sockets"), (.writtenRequests, "requests as written"), (.madeFields, "fields made by the transport"),
    (.reasonPhrases, "reason phrases"), (.framings, "a choice of framing"), (.rawReplies, "raw replies"),
    (.cuts, "cut bodies"), (.resets, "resets"), (.trailers, "trailers"), (.informational, "informational responses"),
    (.continues, "a choice of 100 Continue"), (.earlyAnswers, "answers before the upload's end"),
    (.slowReading, "slow reading"), (.progress, "counts of bytes sent"), (.connections, "connections told apart"),
    (.departures, "notice of departures"), (.idleClosing, "closing of idle connections"), (.tls, "TLS"),
    (.http2, "HTTP/2"), (.codings, "coded content"), (.ipv6, "IPv6"), (.fullDuplex, "full duplex"),
    (.plain, "plain HTTP"), (.brokenUploads, "notice of broken uploads"), (.earlyHeads, "heads before content"),
    (.frames, "a choice of frames"),
  ]
}
