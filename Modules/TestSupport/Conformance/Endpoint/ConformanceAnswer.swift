package import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The answer of an endpoint to one request, as data.
public struct ConformanceAnswer: Sendable {
  /// The content of the answer.
  package enum Content: Sendable {
    /// No content.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// Bytes that are generated while they are sent.
    case pattern(BytePattern, count: Int64)

    /// The number of bytes.
    package var count: Int64 {
      switch self {
      case .none: 0
      case .bytes(let bytes): Int64(bytes.count)
      case .pattern(_, let count): count
      }
    }

    /// Returns a part of the content.
    func bytes(_ range: Range<Int64>) -> [UInt8] {
      switch self {
      case .none: []
      case .bytes(let bytes): Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
      case .pattern(let pattern, _):
        pattern.bytes(from: range.lowerBound, count: Int(range.upperBound - range.lowerBound))
      }
    }

    /// The whole content.
    package var all: [UInt8] { bytes(0..<count) }
  }

  /// How the end of the content is indicated.
  package enum Framing: Sendable, Hashable {
    /// By `Content-Length`.
    case length
    /// By the chunked coding, in chunks of this size.
    case chunked(size: Int)
    /// By the end of the connection.
    case close
    /// By the end of the connection, with the version HTTP/1.0.
    case http10
    /// As the fields of the answer say; none are added.
    case own
  }

  /// How the answer ends.
  package enum Ending: Sendable, Hashable {
    /// Normally; the connection is kept.
    case complete
    /// By closing the connection after this many bytes of content.
    case cut(after: Int64)
    /// By resetting the connection after this many bytes of content.
    case reset(after: Int64)
    /// By closing the connection before any byte.
    case cutBeforeHead
    /// By resetting the connection before any byte.
    case resetBeforeHead
    /// By ending the server's direction after the head, while it reads on.
    case halfClosed
  }

  /// How the request's body is read.
  package enum Upload: Sendable {
    /// Completely before the answer begins; `100 Continue` is sent if requested.
    case readFirst
    /// Completely before the answer begins, without `100 Continue`.
    case readFirstWithoutContinue
    /// Not at all; the connection is closed after the answer.
    case ignored
    /// Completely between the head and the content of the answer.
    case readAfterHead
    /// This many bytes, and the rest when the gate opens, before the answer begins.
    case readPartly(Int64, then: OriginGate)
  }

  /// An informational response.
  package struct Informational: Sendable {
    /// 100…199.
    package var status: Int
    /// The fields.
    package var fields: OriginFields

    /// Creates an informational response.
    package init(_ status: Int, _ fields: OriginFields = [:]) {
      self.status = status
      self.fields = fields
    }
  }

  /// Bytes that replace everything except `idling`; nil sends the other parts.
  package var raw: RawReply?
  /// The informational responses before the head.
  package var informational: [Informational]
  /// The status code.
  public var status: Int
  /// The reason phrase; nil sends the usual one, an empty one sends none.
  package var reason: String?
  /// The fields, without those of the framing.
  public var fields: OriginFields
  /// The content.
  package var content: Content
  /// How the end of the content is indicated.
  package var framing: Framing
  /// The trailers, for the chunked coding.
  package var trailers: OriginFields
  /// How the answer ends.
  package var ending: Ending
  /// How the request's body is read.
  package var upload: Upload
  /// A gate before the head.
  package var holdsHead: OriginGate?
  /// A gate after some bytes of content.
  package var holdsContent: Hold?
  /// What happens to the idle connection afterwards.
  package var idling: OriginIdling
  /// The code that gets the connection after the head; nil ends the answer with its content.
  package var conversation: (@Sendable (DuplexConnection) async -> Void)?

  /// Bytes of an answer that are sent unchanged.
  package struct RawReply: Sendable {
    /// The bytes to send once.
    package var start: [UInt8]
    /// The bytes to send repeatedly afterwards, until the client leaves; may be empty.
    package var endless: String
    /// Whether the connection is closed afterwards.
    package var closes: Bool

    /// Creates a reply.
    package init(_ start: [UInt8], endless: String = "", closes: Bool = true) {
      self.start = start
      self.endless = endless
      self.closes = closes
    }
  }

  /// A pause in the content.
  package struct Hold: Sendable {
    /// The number of bytes before the pause.
    package var offset: Int64
    /// The gate that ends the pause.
    package var gate: OriginGate

    /// Creates a pause.
    package init(after offset: Int64, _ gate: OriginGate = OriginGate()) {
      self.offset = offset
      self.gate = gate
    }
  }

  /// Creates an answer; by default it is that of a correct server.
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

  /// Returns a 200 with text.
  public static func text(_ text: String) -> ConformanceAnswer {
    ConformanceAnswer(fields: ["Content-Type": "text/plain; charset=utf-8"], content: .bytes([UInt8](text.utf8)))
  }

  /// Returns a 200 with generated bytes.
  public static func pattern(_ count: Int64, seed: UInt64 = 1) -> ConformanceAnswer {
    ConformanceAnswer(content: .pattern(.seeded(seed), count: count))
  }

  /// Returns bytes to send unchanged, optionally followed by endless others.
  ///
  /// The connection is then closed, unless it is kept.
  package static func raw(_ start: String, endless: String = "", closes: Bool = true) -> ConformanceAnswer {
    .raw([UInt8](start.utf8), endless: endless, closes: closes)
  }

  /// Returns bytes that need not be text, to send unchanged.
  package static func raw(_ start: [UInt8], endless: String = "", closes: Bool = true) -> ConformanceAnswer {
    ConformanceAnswer(raw: RawReply(start, endless: endless, closes: closes))
  }

  /// Returns a 101 after which code has the connection, as another protocol would (RFC 9110 §15.2.2).
  package static func upgrade(_ conversation: @escaping @Sendable (DuplexConnection) async -> Void) -> ConformanceAnswer
  {
    var answer = ConformanceAnswer(101, fields: ["Connection": "Upgrade", "Upgrade": "conformance"], framing: .own)
    answer.conversation = conversation
    return answer
  }

  /// Returns whether this answer may have content (RFC 9110 §6.4.1).
  func hasContent(method: String) -> Bool {
    method != "HEAD" && status >= 200 && status != 204 && status != 304
  }

  /// The fields, including those of the framing.
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

extension ConformanceAnswer {
  /// The number of bytes between two reports of progress.
  private static let progressStep: Int64 = 262_144

  /// Returns the answer as steps of a scripted origin.
  package func originReply(method: String, at place: ConformancePlace) -> OriginReply {
    if let raw {
      var steps: [OriginStep] = [.raw(raw.start)]
      if !raw.endless.isEmpty { steps.append(.repeated(raw.endless, times: .max)) }
      return raw.closes ? OriginReply(steps).closing() : OriginReply(steps + [.idle(idling)])
    }
    if let conversation { return OriginReply(head, .converse(conversation)) }
    if ending == .halfClosed { return OriginReply(head, .halfClose) }
    var steps: [OriginStep] = []
    switch upload {
    case .readFirst, .readFirstWithoutContinue, .ignored, .readAfterHead: break
    case .readPartly(let count, let gate):
      steps += [.readUpload(upTo: count), .hold(gate, place), .readUpload()]
    }
    if let holdsHead { steps.append(.hold(holdsHead, place)) }
    switch ending {
    case .cutBeforeHead: return reading(OriginReply(steps + [.cut]))
    case .resetBeforeHead: return reading(OriginReply(steps + [.reset]))
    case .complete, .cut, .reset, .halfClosed: break
    }
    steps += informational.map { .interim($0.status, $0.fields) }
    steps.append(head)
    if case .readAfterHead = upload { steps.append(.readUpload()) }
    steps += contentSteps(method: method, at: place)
    var reply = reading(OriginReply(steps))
    reply.endsConnection = framing == .close || framing == .http10 || fields["Connection"]?.matches("close") == true
    return reply
  }

  private func reading(_ reply: OriginReply) -> OriginReply {
    switch upload {
    case .readFirst: return reply
    case .readFirstWithoutContinue:
      var reply = reply
      reply.reading = .firstUnasked
      return reply
    case .ignored, .readAfterHead, .readPartly: return reply.beforeUpload()
    }
  }

  private var head: OriginStep {
    guard framing == .http10 else { return .head(status, reason: reason, framedFields) }
    return .raw("HTTP/1.0 \(status) \(reason ?? "OK")\r\n\(framedFields.wireText)\r\n")
  }

  /// Returns the steps for the content, up to its end, a cut or a hold.
  private func contentSteps(method: String, at place: ConformancePlace) -> [OriginStep] {
    guard hasContent(method: method) else { return [.idle(idling)] }
    var steps: [OriginStep] = []
    var position: Int64 = 0
    let (end, last) = boundary
    if let holdsContent, holdsContent.offset <= end {
      steps += part(0..<holdsContent.offset, place)
      steps.append(.hold(holdsContent.gate, place))
      position = holdsContent.offset
    }
    steps += part(position..<end, place)
    if let last { return steps + [last] }
    if case .chunked = framing { steps.append(.trailers(trailers)) }
    steps.append(.idle(idling))
    return steps
  }

  /// The offset at which the content stops, and the step that ends the connection.
  private var boundary: (Int64, OriginStep?) {
    switch ending {
    case .cut(let count): (min(count, content.count), .cut)
    case .reset(let count): (min(count, content.count), .reset)
    case .complete, .cutBeforeHead, .resetBeforeHead, .halfClosed: (content.count, nil)
    }
  }

  private func part(_ range: Range<Int64>, _ place: ConformancePlace) -> [OriginStep] {
    var steps: [OriginStep] = []
    var position = range.lowerBound
    while position < range.upperBound {
      let next: Int64
      if case .chunked(let size) = framing {
        next = min(range.upperBound, position + Int64(max(1, size)))
        steps.append(.chunk(content.bytes(position..<next)))
      } else {
        next = min(range.upperBound, position + Self.progressStep)
        if case .pattern(let pattern, _) = content {
          steps.append(.fill(pattern, from: position, count: next - position))
        } else {
          steps.append(.body(content.bytes(position..<next)))
        }
      }
      let count = next - position
      steps.append(
        .perform { [place] in
          place.noteSent(count)
          return []
        })
      position = next
    }
    return steps
  }
}

extension OriginStep {
  /// Returns a step that waits at a gate, and counts a client that leaves.
  fileprivate static func hold(_ gate: OriginGate, _ place: ConformancePlace) -> OriginStep {
    .perform {
      await place.hold(at: gate)
      return []
    }
  }
}

extension ConformanceAnswer {
  private static let stubChunk: Int64 = 65_536

  /// Returns the answer as steps of a stub.
  func stubAnswer(method: String, at place: ConformancePlace) async throws -> StubAnswer {
    if let holdsHead { try await holdsHead.pass() }
    let status = HTTPResponse.Status(code: self.status, reasonPhrase: reason ?? ReasonPhrase.standard(self.status))
    var answer = StubAnswer(
      status, headerFields: HTTPFields(fields), body: stubSteps(at: place),
      trailers: trailers.lines.isEmpty ? nil : HTTPFields(trailers),
      informational: informational.map {
        HTTPResponse(status: HTTPResponse.Status(code: $0.status), headerFields: HTTPFields($0.fields))
      })
    answer.announcesLength = false
    if framing == .length, status.code != 204, status.code != 304, fields["Content-Length"] == nil {
      answer.headerFields[.contentLength] = String(content.count)
    }
    return answer
  }

  private func stubSteps(at place: ConformancePlace) -> [StubAnswer.Step] {
    var end = content.count
    if case .cut(let count) = ending { end = min(end, count) }
    var steps: [StubAnswer.Step] = []
    var position: Int64 = 0
    let hold = holdsContent.map { min($0.offset, end) }
    if hold == 0, let gate = holdsContent?.gate { steps.append(.wait { try await gate.pass() }) }
    while position < end {
      var next = min(end, position + Self.stubChunk)
      if let hold, position < hold { next = min(next, hold) }
      let range = position..<next
      steps.append(
        .made { [content] in
          place.noteSent(range.upperBound - range.lowerBound)
          return Data(content.bytes(range))
        })
      if next == hold, let gate = holdsContent?.gate { steps.append(.wait { try await gate.pass() }) }
      position = next
    }
    return steps
  }
}

extension OriginGate {
  /// Waits until the gate is open; throws when the task is cancelled first.
  fileprivate func pass() async throws {
    await Awaiting.oneCall { arrive($0) }
    try Task.checkCancellation()
  }
}

extension HTTPFields {
  /// Creates fields from the lines that are valid fields.
  fileprivate init(_ fields: OriginFields) {
    self.init(
      fields.lines.compactMap { line in
        HTTPField.Name(line.name).map { HTTPField(name: $0, value: line.value) }
      })
  }
}
