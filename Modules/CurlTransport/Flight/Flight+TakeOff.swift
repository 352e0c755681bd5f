import CLibcurl
import CurlewCore
import FoundationEssentials
import HTTPTypes

extension Flight {
  /// `CURLAUTH_BASIC`, a macro that Swift cannot see.
  private static let basicAuthentication = 1

  /// Goes on the wire. A handle comes as new, so only what differs from libcurl's defaults is set.
  func takeOff(on loop: EventLoop) throws(NetworkError) {
    takenOffAt = max(loop.now, queuedAt)
    lastMotion = takenOffAt
    metrics.phases.queue = .nanoseconds(Int64(clamping: takenOffAt &- queuedAt))
    let upload = try Uploads.make(for: plan.request.body, flight: self)
    guard let easy = loop.handles.take(for: loop) else { throw .exhausted("libcurl has no memory for a request.") }
    self.easy = easy
    self.upload = upload
    let this = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    curlew_set_pointer(easy, CURLOPT_PRIVATE, this)
    curlew_set_pointer(easy, CURLOPT_HEADERDATA, this)
    curlew_set_pointer(easy, CURLOPT_WRITEDATA, this)
    curlew_set_pointer(easy, CURLOPT_PREREQDATA, this)
    curlew_set_pointer(easy, CURLOPT_READDATA, this)
    if errorText == nil {
      errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
      errorText?.pointee = 0
    }
    curlew_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    // Always http or https, since an Origin is nothing else.
    let isSet = plan.target.withCString { curlew_set_string(easy, CURLOPT_URL, $0) } == CURLE_OK
    if let target = plan.exactTarget { curlew_set_string(easy, CURLOPT_REQUEST_TARGET, target) }
    setMethod(easy)
    let lane = loop.origins.board(plan.origin, plan.delivery)
    self.lane = lane
    setConnection(easy, lane)
    setLimits(easy)
    let isTrusted = plan.trust?.apply(to: easy, for: self, lane: lane) ?? true
    guard isSet, isTrusted, curl_multi_add_handle(loop.multi, easy) == CURLM_OK else {
      curl_easy_cleanup(easy)
      self.easy = nil
      loop.origins.leave(plan.origin, plan.delivery, lane: lane)
      throw .exhausted("libcurl has no memory for a request.")
    }
    upload?.start()
  }

  private func setMethod(_ easy: OpaquePointer) {
    let request = plan.request
    switch request.body.source {
    case .empty:
      switch request.method {
      case .get: break
      case .head: curlew_set_long(easy, CURLOPT_NOBODY, 1)
      case .post, .put, .patch:
        // A method that means a body announces that there is none (RFC 9110 §8.6).
        curlew_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, 0)
        curlew_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
      default: break
      }
    case .bytes(let data) where data.count <= Uploads.inlineLimit:
      curlew_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(data.count))
      data.withUnsafeBytes { bytes in
        var none: UInt8 = 0
        withUnsafePointer(to: &none) { empty in
          _ = curlew_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(empty))
        }
      }
    default:
      curlew_set_long(easy, CURLOPT_UPLOAD, 1)
      curlew_set_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(request.body.length ?? -1))
    }
    let isPlain = request.method == .get || request.method == .head
    if !(isPlain && request.body.isEmpty) { curlew_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
    curlew_set_list(easy, CURLOPT_HTTPHEADER, plan.headers.list)
    if plan.decodesContent {
      _ = CurlLibrary.loaded.contentCodings?.withCString { curlew_set_string(easy, CURLOPT_ACCEPT_ENCODING, $0) }
    } else {
      curlew_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0)
    }
  }

  private func setConnection(_ easy: OpaquePointer, _ lane: Int) {
    switch plan.request.options.version ?? .automatic {
    // HTTP/2 where TLS negotiates it is what libcurl does.
    case .automatic: break
    case .http1: curlew_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    case .http2PriorKnowledge: curlew_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
    }
    if let path = plan.request.options.unixSocketPath { curlew_set_string(easy, CURLOPT_UNIX_SOCKET_PATH, path) }
    if let place = plan.connectTo {
      connectTo = curl_slist_append(nil, place)
      curlew_set_list(easy, CURLOPT_CONNECT_TO, connectTo)
    }
    // Always set: an empty proxy keeps libcurl from reading the environment.
    if let proxy = plan.proxy {
      let host = proxy.host.utf8.contains(UInt8(ascii: ":")) ? "[\(proxy.host)]" : proxy.host
      curlew_set_string(easy, CURLOPT_PROXY, host)
      curlew_set_long(easy, CURLOPT_PROXYPORT, proxy.port)
      let kind = proxy.kind == .socks5 ? CURLPROXY_SOCKS5_HOSTNAME : CURLPROXY_HTTP
      curlew_set_long(easy, CURLOPT_PROXYTYPE, Int(kind.rawValue))
      curlew_set_long(easy, CURLOPT_PROXYAUTH, Self.basicAuthentication)
    } else {
      curlew_set_string(easy, CURLOPT_PROXY, "")
    }
    if case .password(let user, let password) = plan.proxy?.credential {
      curlew_set_string(easy, CURLOPT_PROXYUSERNAME, user)
      curlew_set_string(easy, CURLOPT_PROXYPASSWORD, password)
    }
    // Without TLS there is no option that tells lanes apart: each above the first is a new connection.
    let isCrowded = plan.trust == nil && lane > 0
    if plan.isFresh || isCrowded { curlew_set_long(easy, CURLOPT_FRESH_CONNECT, 1) }
    if plan.delivery == .collected {
      // Where nothing is negotiated, all others would wait until the first answer shows that there is no HTTP/2.
      let isNegotiated = plan.trust != nil || plan.request.options.version == .http2PriorKnowledge
      if isNegotiated { curlew_set_long(easy, CURLOPT_PIPEWAIT, 1) }
    } else {
      // A large buffer, where the default is 16 kB, pays only where much comes: libcurl takes it for each transfer.
      curlew_set_long(easy, CURLOPT_BUFFERSIZE, 64 * 1024)
    }
  }

  private func setLimits(_ easy: OpaquePointer) {
    curlew_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, plan.limits.connect)
    if plan.limits.total > 0 { curlew_set_long(easy, CURLOPT_TIMEOUT_MS, plan.limits.total) }
    if let rate = plan.request.options.rateLimit {
      curlew_set_offset(easy, CURLOPT_MAX_RECV_SPEED_LARGE, curl_off_t(max(0, rate.receive ?? 0)))
      curlew_set_offset(easy, CURLOPT_MAX_SEND_SPEED_LARGE, curl_off_t(max(0, rate.send ?? 0)))
    }
    guard plan.expectsContinue else { return }
    let wait = loop.configuration.continueWait.components
    curlew_set_long(
      easy, CURLOPT_EXPECT_100_TIMEOUT_MS,
      Int(wait.seconds) * 1000 + Int(wait.attoseconds / 1_000_000_000_000_000))
  }
}
