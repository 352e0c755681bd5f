import CurlewTestSupport
import FoundationEssentials

/// The proxy's side of HTTP/1.1, for one connection.
///
/// It supports CONNECT (RFC 9110 §9.3.6) and the absolute-form of targets (RFC 9112 §3.2.2).
struct HTTPProxyNegotiation: ProxyNegotiating {
  private enum Step {
    case act(ProxyAction)
    case body(forwarded: Bool)
  }

  let verdict: @Sendable (ProxyRequest) -> ProxyVerdict
  let record: @Sendable (ProxyRequest) -> Void
  private var pending: [Step] = []
  private var decoder = UploadDecoder(.none)

  init(
    verdict: @escaping @Sendable (ProxyRequest) -> ProxyVerdict, record: @escaping @Sendable (ProxyRequest) -> Void
  ) {
    self.verdict = verdict
    self.record = record
  }

  mutating func next(_ input: UnsafeRawBufferPointer) -> (action: ProxyAction, consumed: Int) {
    while let step = pending.first {
      switch step {
      case .act(let action):
        pending.removeFirst()
        return (action, 0)
      case .body(let forwarded):
        switch decoder.next(input, upTo: .max) {
        case .body(let count), .framing(let count), .trailer(_, let count):
          return (forwarded ? .forward(count) : .drop(count), 0)
        case .starved: return (.wait, 0)
        case .broken: return (.close, 0)
        case .complete: pending.removeFirst()
        }
      }
    }
    guard !input.isEmpty else { return (.wait, 0) }
    guard let length = RequestHead.length(in: input) else { return (input.count > 262_144 ? .close : .wait, 0) }
    let head = RequestHead(raw: [UInt8](input[..<length]))
    return (begin(ProxyRequest(head), head), length)
  }

  private mutating func begin(_ request: ProxyRequest, _ head: RequestHead) -> ProxyAction {
    record(request)
    decoder = UploadDecoder(request.isTunnel ? .none : head.framing)
    switch verdict(request) {
    case .stall: return .stall
    case .hangUp: return .close
    case .reply(let bytes, let closes):
      // The client may wait for this answer before it sends the body, or send it at once; the body is discarded.
      pending = [head.expectsContinue || closes ? .act(.close) : .body(forwarded: false)]
      return .send(bytes)
    case .forward: break
    }
    guard let target = request.destination else {
      pending = [.act(.close)]
      return .send(Self.text("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"))
    }
    let failure = Self.text("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    guard !request.isTunnel else {
      let success = Self.text("HTTP/1.1 200 Connection established\r\n\r\n")
      return .connect(target, ProxyConnecting(success: success, failure: failure, tunnels: true))
    }
    pending = [.body(forwarded: true)]
    return .connect(target, ProxyConnecting(preface: request.originForm, failure: failure))
  }

  private static func text(_ text: String) -> [UInt8] { [UInt8](text.utf8) }
}
