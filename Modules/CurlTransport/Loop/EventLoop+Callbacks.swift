import CLibcurl
import CurlewCore

extension EventLoop {
  /// Makes libcurl report which sockets to watch, and when to call it again.
  func installCallbacks() {
    let this = Unmanaged.passUnretained(self).toOpaque()
    curlew_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    curlew_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.connectionsKept)
    curlew_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, this)
    curlew_multi_set_pointer(multi, CURLMOPT_TIMERDATA, this)
    curlew_multi_set_socket_callback(multi) { easy, socket, what, context, _ in
      guard let context else { return 0 }
      let loop = Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
      loop.sockets.setInterest(socket, what, of: easy)
      return 0
    }
    curlew_multi_set_timer_callback(multi) { _, milliseconds, context in
      guard let context else { return 0 }
      let loop = Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
      let now = milliseconds > 0 ? monotonicNanoseconds() : loop.now
      loop.curlDue = milliseconds < 0 ? nil : now &+ UInt64(milliseconds) &* 1_000_000
      return 0
    }
  }
}
