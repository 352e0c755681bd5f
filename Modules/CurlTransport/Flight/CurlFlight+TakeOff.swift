import CLibcurl
import CurlewCore
import FoundationEssentials
import HTTPTypes

extension CurlFlight {
  /// The number of running requests from which memory matters more than speed.
  private static let crowd = 128
  /// How much libcurl reads at once for large bodies, and by default.
  static let (largeBuffer, smallBuffer) = (65_536, 16_384)
  /// The least that libcurl accepts.
  private static let leastBuffer = 1024

  /// Sets up a handle for the request, so that libcurl can start the transfer.
  ///
  /// The pool has already set the options that all requests share. All others have libcurl's defaults, so only different values
  /// are set here.
  func takeOff(on loop: EventLoop) throws(NetworkError) {
    phase.take(.takesOff)
    takenOffAt = max(loop.now, queuedAt)
    lastMotion = takenOffAt
    let upload = Uploads.make(for: plan.request.body, flight: self)
    guard let easy = loop.handles.take(for: loop) else { throw .exhausted("libcurl has no memory for a request.") }
    self.easy = easy
    self.upload = upload
    let this = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    curlew_set_pointer(easy, CURLOPT_PRIVATE, this)
    curlew_set_pointer(easy, CURLOPT_HEADERDATA, this)
    curlew_set_pointer(easy, CURLOPT_WRITEDATA, this)
    curlew_set_pointer(easy, CURLOPT_PREREQDATA, this)
    curlew_set_pointer(easy, CURLOPT_READDATA, this)
    curlew_set_pointer(easy, CURLOPT_OPENSOCKETDATA, this)
    if errorText == nil {
      errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
      errorText?.pointee = 0
    }
    curlew_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    var texts = EasyTexts(easy)
    // The scheme is always http or https, because an `Origin` has no other.
    texts.set(CURLOPT_URL, plan.target)
    if let target = plan.exactTarget { texts.set(CURLOPT_REQUEST_TARGET, target) }
    setMethod(easy, &texts)
    setConnection(easy, &texts)
    setLimits(easy)
    let hasBoarded = board(easy)
    guard texts.areSet, hasBoarded, curl_multi_add_handle(loop.multi, easy) == CURLM_OK else {
      curl_easy_cleanup(easy)
      self.easy = nil
      leaveLane()
      throw .exhausted("libcurl has no memory for a request, or refuses a text of more than 8 MB.")
    }
    startUpload()
  }

  private func setMethod(_ easy: EasyHandle, _ texts: inout EasyTexts) {
    let request = plan.request
    switch request.body.source {
    // If no bytes follow, `HeaderList` announces a zero length where necessary, and libcurl gets no body: version 8.14.1
    // closes the connection of an empty POST that the server answers at once with a status of 300 or above.
    case _ where request.body.length == 0:
      if request.method == .head { curlew_set_long(easy, CURLOPT_NOBODY, 1) }
    case .bytes(let data) where upload == nil && data.count <= Uploads.inlineLimit:
      curlew_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(data.count))
      texts.note(data.withUnsafeBytes { curlew_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) })
    default:
      curlew_set_long(easy, CURLOPT_UPLOAD, 1)
      curlew_set_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(request.body.length ?? -1))
    }
    let isPlain = request.method == .get || request.method == .head
    if !(isPlain && request.body.length == 0) {
      texts.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
    curlew_set_list(easy, CURLOPT_HTTPHEADER, plan.headers.list)
    // libcurl decodes content codings only if it offers them (CURLOPT_ACCEPT_ENCODING), so content arrives as it was sent.
    // CURLOPT_HTTP_CONTENT_DECODING keeps its default, because before 8.0 the other value would leave transfer codings in the
    // body too.
  }

  private func setConnection(_ easy: EasyHandle, _ texts: inout EasyTexts) {
    switch plan.version {
    // libcurl's default is HTTP/2 if TLS negotiates it, and HTTP/1.1 without TLS.
    case .negotiated: break
    case .http1: curlew_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    case .priorKnowledge: curlew_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
    }
    if let path = plan.request.options.unixSocketPath { texts.set(CURLOPT_UNIX_SOCKET_PATH, path) }
    if let place = plan.connectTo { connectTo = texts.setList(CURLOPT_CONNECT_TO, place) }
    // The proxy is always set, because an empty one keeps libcurl from reading the environment.
    if let proxy = plan.proxy {
      let host = proxy.host.utf8.contains(UInt8(ascii: ":")) ? "[\(proxy.host)]" : proxy.host
      texts.set(CURLOPT_PROXY, host)
      curlew_set_long(easy, CURLOPT_PROXYPORT, proxy.port)
      let kind = proxy.kind == .socks5 ? CURLPROXY_SOCKS5_HOSTNAME : CURLPROXY_HTTP
      curlew_set_long(easy, CURLOPT_PROXYTYPE, Int(kind.rawValue))
      if proxy.kind == .http { authorize(proxy, &texts) } else { giveCredential(of: proxy, &texts) }
    } else {
      texts.set(CURLOPT_PROXY, "")
    }
    if plan.isAlone, !plan.isDuplex { forbidReuse() }
    if plan.isDuplex {
      curlew_set_long(easy, CURLOPT_CONNECT_ONLY, 1)
      // The loop reads by itself.
      curlew_set_long(easy, CURLOPT_BUFFERSIZE, Self.leastBuffer)
      if plan.proxy?.kind == .http { curlew_set_long(easy, CURLOPT_HTTPPROXYTUNNEL, 1) }
    } else if plan.delivery == .streamed {
      // A buffer larger than the default of 16 kB pays only for large bodies: libcurl allocates one for each transfer, and
      // holds as many bytes again for a paused one.
      if loop.running.count < Self.crowd { curlew_set_long(easy, CURLOPT_BUFFERSIZE, Self.largeBuffer) }
    }
  }

  /// Sets the credentials for an HTTP proxy.
  ///
  /// libcurl does not answer the proxy by itself: it would send Basic credentials without being asked, and repeat the request
  /// without reporting it.
  private func authorize(_ proxy: Proxy, _ texts: inout EasyTexts) {
    guard let value = proxy.authorization else { return }
    // These fields are sent only to the proxy, with CONNECT or with a request that the proxy forwards.
    proxyFields = texts.setList(CURLOPT_PROXYHEADER, "Proxy-Authorization: " + value)
  }

  private func giveCredential(of proxy: Proxy, _ texts: inout EasyTexts) {
    guard case .password(let user, let password) = proxy.credential else { return }
    texts.set(CURLOPT_PROXYUSERNAME, user)
    texts.set(CURLOPT_PROXYPASSWORD, password)
  }
}

/// Sets the texts of a handle, and remembers whether libcurl has copied all of them.
///
/// libcurl refuses a text of more than 8 MB, and any when memory is exhausted. Without one of them the request would be another one, or go
/// elsewhere.
private struct EasyTexts {
  private let easy: EasyHandle
  private(set) var areSet = true

  init(_ easy: EasyHandle) { self.easy = easy }

  mutating func set(_ option: CURLoption, _ text: String) { note(curlew_set_string(easy, option, text)) }

  /// Sets a list of one text, and returns the list, which must outlive the transfer.
  mutating func setList(_ option: CURLoption, _ text: String) -> UnsafeMutablePointer<curl_slist>? {
    let list = curl_slist_append(nil, text)
    if list == nil { areSet = false }
    note(curlew_set_list(easy, option, list))
    return list
  }

  mutating func note(_ result: CURLcode) { areSet = areSet && result == CURLE_OK }
}

/// A pool of idle easy handles, which are reset after each request.
struct HandlePool {
  /// The most idle handles; 0 for libcurl before 8.1.1.
  ///
  /// Those versions keep a stale pointer to the last response's fields in a handle, which they follow if the next response
  /// begins with a folded line (curl/curl#11101).
  private static let kept = CurlLibrary.loaded.number >= 0x08_01_01 ? 128 : 0
  private var idle: [EasyHandle] = []

  /// Returns a handle that is set up; nil if memory is exhausted.
  mutating func take(for loop: EventLoop) -> EasyHandle? {
    guard let easy = idle.popLast() ?? curl_easy_init() else { return nil }
    Self.setUp(easy, loop)
    return easy
  }

  /// Takes back a handle whose transfer succeeded; other handles are discarded.
  mutating func give(_ easy: EasyHandle) {
    guard idle.count < Self.kept else { return curl_easy_cleanup(easy) }
    curl_easy_reset(easy)
    idle.append(easy)
  }

  mutating func removeAll() {
    for easy in idle { curl_easy_cleanup(easy) }
    idle = []
  }

  /// Sets the options that all requests share and that are not libcurl's defaults.
  ///
  /// For TLS see `TrustLocks.Terms`.
  private static func setUp(_ easy: EasyHandle, _ loop: EventLoop) {
    curlew_set_long(easy, CURLOPT_NOSIGNAL, 1)
    // Cancelling a name lookup, or its timeout, must not wait for the lookup's thread.
    curlew_set_long(easy, CURLOPT_QUICK_EXIT, 1)
    curlew_set_long(easy, CURLOPT_PATH_AS_IS, 1)
    // Without it, libcurl would read the environment for each request.
    curlew_set_string(easy, CURLOPT_NOPROXY, "")
    curlew_set_data_callback(easy, CURLOPT_HEADERFUNCTION, CurlFlight.headerCallback)
    curlew_set_data_callback(easy, CURLOPT_WRITEFUNCTION, CurlFlight.writeCallback)
    curlew_set_data_callback(easy, CURLOPT_READFUNCTION, CurlFlight.readCallback)
    curlew_set_prereq_callback(easy, CurlFlight.prereqCallback)
    curlew_set_open_callback(easy, CurlFlight.openCallback)
    // A connection outlives the request that opened it, so the loop closes it.
    let context = Unmanaged.passUnretained(loop).toOpaque()
    curlew_set_close_callback(easy) { context, socket in
      guard let context else { return 0 }
      return Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue().sockets.closed(socket)
    }
    curlew_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, context)
  }
}
