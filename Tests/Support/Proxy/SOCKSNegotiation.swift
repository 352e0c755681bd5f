import CurlewTestSupport

/// The server's side of SOCKS 5 (RFC 1928, RFC 1929), for one connection.
struct SOCKSNegotiation: ProxyNegotiating {
  private enum State {
    case greeting
    case password
    case request
    case ended
  }

  let credentials: String?
  let verdict: @Sendable (SOCKSRequest) -> SOCKSVerdict
  let record: @Sendable (SOCKSRequest) -> Void
  private var state = State.greeting
  private var user: String?

  init(
    credentials: String?, verdict: @escaping @Sendable (SOCKSRequest) -> SOCKSVerdict,
    record: @escaping @Sendable (SOCKSRequest) -> Void
  ) {
    self.credentials = credentials
    self.verdict = verdict
    self.record = record
  }

  mutating func next(_ input: UnsafeRawBufferPointer) -> (action: ProxyAction, consumed: Int) {
    switch state {
    case .greeting: greet(input)
    case .password: checkPassword(input)
    case .request: begin(input)
    case .ended: (.close, 0)
    }
  }

  private mutating func greet(_ input: UnsafeRawBufferPointer) -> (ProxyAction, Int) {
    guard input.count >= 2 else { return (.wait, 0) }
    let length = 2 + Int(input[1])
    guard input[0] == 5 else { return end([]) }
    guard input.count >= length else { return (.wait, 0) }
    let wanted: UInt8 = credentials == nil ? 0 : 2
    guard input[2..<length].contains(wanted) else { return end([5, 0xff], length) }
    state = credentials == nil ? .request : .password
    return (.send([5, wanted]), length)
  }

  private mutating func checkPassword(_ input: UnsafeRawBufferPointer) -> (ProxyAction, Int) {
    guard input.count >= 2 else { return (.wait, 0) }
    let userEnd = 2 + Int(input[1])
    guard input.count > userEnd else { return (.wait, 0) }
    let passwordEnd = userEnd + 1 + Int(input[userEnd])
    guard input.count >= passwordEnd else { return (.wait, 0) }
    let user = String(decoding: input[2..<userEnd], as: UTF8.self)
    let given = user + ":" + String(decoding: input[(userEnd + 1)..<passwordEnd], as: UTF8.self)
    guard given == credentials else { return end([1, 1], passwordEnd) }
    self.user = user
    state = .request
    return (.send([1, 0]), passwordEnd)
  }

  private mutating func begin(_ input: UnsafeRawBufferPointer) -> (ProxyAction, Int) {
    guard input.count >= 5 else { return (.wait, 0) }
    let hostRange: Range<Int>
    switch input[3] {
    case 1: hostRange = 4..<8
    case 3: hostRange = 5..<(5 + Int(input[4]))
    case 4: hostRange = 4..<20
    default: return end(Self.reply(8), input.count)
    }
    let length = hostRange.upperBound + 2
    guard input.count >= length else { return (.wait, 0) }
    let bytes = [UInt8](input[hostRange])
    let host =
      switch input[3] {
      case 1: bytes.map(String.init).joined(separator: ".")
      case 3: String(decoding: bytes, as: UTF8.self)
      default: Self.ipv6Text(bytes)
      }
    let port = Int(input[length - 2]) << 8 | Int(input[length - 1])
    let request = SOCKSRequest(host: host, port: port, isName: input[3] == 3, user: user)
    record(request)
    guard input[1] == 1 else { return end(Self.reply(7), length) }
    switch verdict(request).kind {
    case .forward: break
    case .refuse(let code): return end(Self.reply(code), length)
    case .hangUp: return end([], length)
    case .stall: return (.stall, length)
    }
    state = .ended
    let connecting = ProxyConnecting(success: Self.reply(0), failure: Self.reply(5), tunnels: true)
    return (.connect(ProxyTarget(host: host.lowercased(), port: port), connecting), length)
  }

  private mutating func end(_ bytes: [UInt8], _ consumed: Int = 0) -> (ProxyAction, Int) {
    state = .ended
    return bytes.isEmpty ? (.close, consumed) : (.send(bytes), consumed)
  }

  private static func reply(_ code: UInt8) -> [UInt8] { [5, code, 0, 1, 127, 0, 0, 1, 0, 0] }

  /// Returns an IPv6 address as text: loopback as `::1`, other addresses in full.
  private static func ipv6Text(_ bytes: [UInt8]) -> String {
    if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes.last == 1 { return "::1" }
    return stride(from: 0, to: bytes.count - 1, by: 2).map {
      String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
    }.joined(separator: ":")
  }
}
