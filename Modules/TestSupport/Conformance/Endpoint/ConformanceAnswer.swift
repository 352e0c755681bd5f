/// What an endpoint answers to one request, as data.
public struct ConformanceAnswer: Sendable {
  /// The content of the answer.
  package enum Content: Sendable {
    /// None.
    case none
    /// Bytes that are there.
    case bytes([UInt8])
    /// Bytes made on the spot.
    case pattern(BytePattern, count: Int64)

    /// How many bytes.
    package var count: Int64 {
      switch self {
      case .none: 0
      case .bytes(let bytes): Int64(bytes.count)
      case .pattern(_, let count): count
      }
    }

    /// Returns a part of it.
    func bytes(_ range: Range<Int64>) -> [UInt8] {
      switch self {
      case .none: []
      case .bytes(let bytes): Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
      case .pattern(let pattern, _):
        pattern.bytes(from: range.lowerBound, count: Int(range.upperBound - range.lowerBound))
      }
    }

    /// All of it.
    package var all: [UInt8] { bytes(0..<count) }
  }

  /// How the end of the content is told.
  package enum Framing: Sendable, Hashable {
    /// By `Content-Length`.
    case length
    /// By the chunked coding, in chunks of a size.
    case chunked(size: Int)
    /// By the end of the connection.
    case close
    /// By the end of the connection, as HTTP/1.0.
    case http10
    /// As the answer's own fields say.
    case own
  }

  /// How the answer ends.
  package enum Ending: Sendable, Hashable {
    /// As it should; the connection is kept.
    case complete
    /// The connection is closed after so many bytes of content.
    case cut(after: Int64)
    /// The connection is reset after so many bytes of content.
    case reset(after: Int64)
    /// The connection is closed before any byte.
    case cutBeforeHead
    /// The connection is reset before any byte.
    case resetBeforeHead
  }

  /// How the request's body is read.
  package enum Upload: Sendable {
    /// All of it before the answer begins; `100 Continue` is sent when asked for.
    case readFirst
    /// The same without `100 Continue`.
    case readFirstWithoutContinue
    /// Not at all; the connection is closed after the answer.
    case ignored
    /// The head is sent, then all of it is read, then the content is sent.
    case readAfterHead
    /// So many bytes of it, the rest when the gate opens, before the answer begins.
    case readPartly(Int64, then: OriginGate)
  }

  /// One informational response.
  package struct Informational: Sendable {
    /// 100…199.
    package var status: Int
    /// Its fields.
    package var fields: OriginFields

    /// Creates one.
    package init(_ status: Int, _ fields: OriginFields = [:]) {
      self.status = status
      self.fields = fields
    }
  }

  /// Bytes that take the place of everything but `idling`; nil sends the rest.
  package var raw: RawReply?
  /// What comes before the head.
  package var informational: [Informational]
  /// The status code.
  public var status: Int
  /// The reason phrase; nil is the usual one, empty is none.
  package var reason: String?
  /// The fields, without those of the framing.
  public var fields: OriginFields
  /// The content.
  package var content: Content
  /// How its end is told.
  package var framing: Framing
  /// The trailers, with the chunked coding.
  package var trailers: OriginFields
  /// How it ends.
  package var ending: Ending
  /// How the request's body is read.
  package var upload: Upload
  /// Held before the head until it opens.
  package var holdsHead: OriginGate?
  /// Held after so many bytes of content until it opens.
  package var holdsContent: Hold?
  /// What becomes of the connection when it is idle afterwards.
  package var idling: OriginIdling

  /// Bytes of an answer as they are.
  package struct RawReply: Sendable {
    /// Sent once.
    package var start: String
    /// Sent again and again after it, until the client leaves; empty is nothing.
    package var endless: String
    /// Whether the connection is closed behind it.
    package var closes: Bool

    /// Creates a reply.
    package init(_ start: String, endless: String = "", closes: Bool = true) {
      self.start = start
      self.endless = endless
      self.closes = closes
    }
  }

  /// A pause in the content.
  package struct Hold: Sendable {
    /// After how many bytes.
    package var offset: Int64
    /// Until this opens.
    package var gate: OriginGate

    /// Creates a pause.
    package init(after offset: Int64, _ gate: OriginGate = OriginGate()) {
      self.offset = offset
      self.gate = gate
    }
  }

  /// Creates an answer; what is not said is as a good server does it.
  package init(
    _ status: Int = 200, reason: String? = nil, fields: OriginFields = [:], content: Content = .none,
    framing: Framing = .length, trailers: OriginFields = [:], informational: [Informational] = [],
    ending: Ending = .complete, upload: Upload = .readFirst, holdsHead: OriginGate? = nil, holdsContent: Hold? = nil,
    idling: OriginIdling = .keep, raw: RawReply? = nil
  ) {
    self.status = status
    self.reason = reason
    self.fields = fields
    self.content = content
    self.framing = framing
    self.trailers = trailers
    self.informational = informational
    self.ending = ending
    self.upload = upload
    self.holdsHead = holdsHead
    self.holdsContent = holdsContent
    self.idling = idling
    self.raw = raw
  }

  /// 200 with text.
  public static func text(_ text: String) -> ConformanceAnswer {
    ConformanceAnswer(fields: ["Content-Type": "text/plain; charset=utf-8"], content: .bytes([UInt8](text.utf8)))
  }

  /// 200 with bytes made on the spot.
  public static func pattern(_ count: Int64, seed: UInt64 = 1) -> ConformanceAnswer {
    ConformanceAnswer(content: .pattern(.seeded(seed), count: count))
  }

  /// Bytes as they are, then, when given, others again and again, and the end of the connection unless it is kept.
  package static func raw(_ start: String, endless: String = "", closes: Bool = true) -> ConformanceAnswer {
    ConformanceAnswer(raw: RawReply(start, endless: endless, closes: closes))
  }

  /// Returns whether this answer may have content at all (RFC 9110 §6.4.1).
  func hasContent(method: String) -> Bool {
    method != "HEAD" && status >= 200 && status != 204 && status != 304
  }

  /// The fields with those of the framing.
  var framedFields: OriginFields {
    switch framing {
    case .length:
      if status == 204 || status == 304 { return fields }
      return (["Content-Length": "\(content.count)"] as OriginFields).merging(fields)
    case .chunked: return (["Transfer-Encoding": "chunked"] as OriginFields).merging(fields)
    case .close: return (["Connection": "close"] as OriginFields).merging(fields)
    case .http10, .own: return fields
    }
  }
}
