import CLibcurl
import CurlewCore

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
