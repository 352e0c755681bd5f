import CLibcurl
import CurlewCore
import Glibc

/// The descriptors that epoll watches, and their events.
///
/// It does more than pass on libcurl's requests. A connection that becomes idle stays registered, so that its next request
/// needs no `epoll_ctl`. An idle HTTP/1.1 connection on which bytes arrive is retired (see `EventLoop+Resting`). libcurl keeps
/// asking whether a connection is writable while an HTTP/2 window is full; such a connection is held back, for 1 to 50 ms,
/// instead of waking the loop all the time.
///
/// It never calls libcurl, which could call it back.
struct SocketTable {
  struct Entry {
    /// The events that libcurl wants.
    var wanted: UInt32 = 0
    /// The handle for which libcurl last requested events.
    ///
    /// It is compared, but never used.
    var user: EasyHandle?
    /// Whether it is an HTTP/1.1 connection between two requests.
    var isResting = false
    /// Whether it was shut down, for libcurl to find it closed.
    var isRetired = false
    /// The events that epoll watches for.
    var told: UInt32 = 0
    var isRegistered = false
    /// Whether libcurl reports closing it, so that it can stay registered.
    var isConnection = false
    /// The number of consecutive writable events without a write.
    var idleWrites: UInt8 = 0
    /// Until when writability is not watched; 0 if it is not held back.
    var heldUntil: UInt64 = 0
  }

  private let epoll: Int32
  var entries: [Entry] = Array(repeating: Entry(), count: 64)
  private var held: [Int32] = []
  private var events: [epoll_event] = Array(repeating: epoll_event(), count: 256)
  /// Increases whenever a callback has moved bytes of an upload.
  var uploadMotion: UInt64 = 0
  private var lastMotion: UInt64 = 0
  /// The error of a socket that could not be opened, for lack of descriptors.
  private(set) var lastOpenError: Int32 = 0
  /// The connections for which libcurl cancelled all events since the last `wait`.
  var released: [Int32] = []
  /// The connections that began to rest since the last `wait`, and that the loop has not looked at.
  var newlyResting: [Int32] = []
  /// The connections by descriptor, their descriptors by address, and those without known addresses.
  var connections: [Int32: Connection] = [:]
  var descriptors: [Place: Int32] = [:]
  var unplaced: [Int32] = []
  /// Whether any connection has ever spoken HTTP/2.
  var hasSpokenHTTP2 = false

  init(epoll: Int32) { self.epoll = epoll }

  func close() { Glibc.close(epoll) }

  /// Watches one of our own descriptors for reading.
  func watch(_ descriptor: Int32) {
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: descriptor))
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
  }

  // MARK: libcurl's wishes

  /// Handles libcurl's request for events of a descriptor, for a transfer.
  mutating func setInterest(_ descriptor: Int32, _ what: Int32, of user: EasyHandle?) {
    guard descriptor >= 0 else { return }
    grow(to: descriptor)
    let index = Int(descriptor)
    switch what {
    case CURL_POLL_REMOVE:
      entries[index].wanted = 0
      entries[index].idleWrites = 0
      release(descriptor)
      if entries[index].isConnection { return released.append(descriptor) }
      unregister(descriptor)
    default:
      entries[index].user = user
      entries[index].isResting = false
      var wanted: UInt32 = 0
      if what & CURL_POLL_IN != 0 { wanted |= EPOLLIN.rawValue }
      if what & CURL_POLL_OUT != 0 { wanted |= EPOLLOUT.rawValue }
      entries[index].wanted = wanted
      apply(descriptor)
    }
  }

  private mutating func grow(to descriptor: Int32) {
    let needed = Int(descriptor) + 1
    if needed > entries.count {
      entries += Array(repeating: Entry(), count: max(needed - entries.count, entries.count))
    }
  }

  /// Updates epoll if the wanted events have changed.
  private mutating func apply(_ descriptor: Int32) {
    let index = Int(descriptor)
    var mask = entries[index].wanted
    if entries[index].heldUntil != 0 { mask &= ~EPOLLOUT.rawValue }
    register(descriptor, for: mask)
  }

  /// Registers a descriptor for events, if it is not registered for them.
  mutating func register(_ descriptor: Int32, for mask: UInt32) {
    let index = Int(descriptor)
    guard !entries[index].isRegistered || entries[index].told != mask else { return }
    var event = epoll_event(events: mask, data: epoll_data_t(fd: descriptor))
    let operation = entries[index].isRegistered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
    if epoll_ctl(epoll, operation, descriptor, &event) != 0 {
      // The kernel has forgotten the descriptor, which was closed and opened again, or still has it registered.
      let other = errno == ENOENT ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
      epoll_ctl(epoll, other, descriptor, &event)
    }
    entries[index].isRegistered = true
    entries[index].told = mask
  }

  mutating func unregister(_ descriptor: Int32) {
    let index = Int(descriptor)
    guard entries[index].isRegistered else { return }
    var event = epoll_event()
    epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    entries[index].isRegistered = false
    entries[index].told = 0
  }

  // MARK: Sockets that libcurl opens and closes

  mutating func open(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
    let descriptor = socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
    guard descriptor >= 0 else {
      lastOpenError = errno
      return -1
    }
    Self.keepAlive(descriptor)
    grow(to: descriptor)
    entries[Int(descriptor)] = Entry()
    entries[Int(descriptor)].isConnection = true
    unplaced.append(descriptor)
    return descriptor
  }

  /// Has the kernel ask the peer for a sign of life, so that a connection that was dropped silently ends.
  ///
  /// It ends 35 s after the last byte from the peer, so that it survives an outage of 30 s. A network that forgets connections
  /// without traffic mostly does so later than the first question. TCP_USER_TIMEOUT is not used: it would also end an upload to a
  /// live server that does not read for a while.
  private static func keepAlive(_ descriptor: Int32) {
    func set(_ level: Int32, _ option: Int32, _ value: Int32) {
      var value = value
      setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 20)
    set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5)
    set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
  }

  mutating func closed(_ descriptor: Int32) -> Int32 {
    if descriptor >= 0, Int(descriptor) < entries.count {
      release(descriptor)
      forget(descriptor)
      // Closing removes it from epoll.
      entries[Int(descriptor)] = Entry()
    }
    return Glibc.close(descriptor)
  }

  /// Returns and clears the error of the last socket that could not be opened.
  mutating func takeOpenError() -> Int32 {
    defer { lastOpenError = 0 }
    return lastOpenError
  }

  // MARK: Waiting

  /// Waits for events and returns their number.
  mutating func wait(_ milliseconds: Int32) -> Int {
    // epoll checks the connections that have become idle since.
    if !released.isEmpty { released.removeAll(keepingCapacity: true) }
    newlyResting.removeAll(keepingCapacity: true)
    let count = Int(epoll_wait(epoll, &events, Int32(events.count), milliseconds))
    lastMotion = uploadMotion
    return count
  }

  /// Returns the idle connection of an event; nil for other descriptors.
  func restingConnection(_ index: Int) -> Int32? {
    let descriptor = events[index].data.fd
    guard descriptor >= 0, Int(descriptor) < entries.count, entries[Int(descriptor)].isResting else { return nil }
    return descriptor
  }

  /// Returns the descriptor of an event.
  func descriptor(_ index: Int) -> Int32 { events[index].data.fd }

  /// Returns the descriptor of an event, and libcurl's mask; 0 needs no action.
  mutating func event(_ index: Int) -> (Int32, Int32) {
    let descriptor = events[index].data.fd
    let mask = events[index].events
    guard descriptor >= 0, Int(descriptor) < entries.count, entries[Int(descriptor)].isConnection else {
      return (descriptor, selectMask(mask))
    }
    let entry = Int(descriptor)
    if entries[entry].wanted == 0 {
      // The connection is paused, held by a rate limit, or idle with HTTP/2: libcurl checks it at the next use.
      unregister(descriptor)
      return (descriptor, 0)
    }
    if mask & EPOLLOUT.rawValue != 0, mask & EPOLLIN.rawValue == 0 {
      noteWritable(descriptor)
    } else if mask & EPOLLIN.rawValue != 0 {
      entries[entry].idleWrites = 0
      release(descriptor)
    }
    return (descriptor, selectMask(mask))
  }

  private func selectMask(_ mask: UInt32) -> Int32 {
    var select: Int32 = 0
    if mask & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { select |= CURL_CSELECT_IN }
    if mask & EPOLLOUT.rawValue != 0 { select |= CURL_CSELECT_OUT }
    if mask & EPOLLERR.rawValue != 0 { select |= CURL_CSELECT_ERR }
    return select
  }

  // MARK: Writable, and nothing to write

  private mutating func noteWritable(_ descriptor: Int32) {
    let index = Int(descriptor)
    guard uploadMotion == motionSeen else {
      motionSeen = uploadMotion
      entries[index].idleWrites = 0
      return
    }
    entries[index].idleWrites = min(entries[index].idleWrites + 1, 16)
    guard entries[index].idleWrites > 4 else { return }
    let milliseconds = min(50, UInt64(1) << UInt64(entries[index].idleWrites - 5))
    entries[index].heldUntil = monotonicNanoseconds() + milliseconds * 1_000_000
    held.append(descriptor)
    apply(descriptor)
  }

  private var motionSeen: UInt64 = 0

  private mutating func release(_ descriptor: Int32) {
    let index = Int(descriptor)
    guard entries[index].heldUntil != 0 else { return }
    entries[index].heldUntil = 0
    held.removeAll { $0 == descriptor }
    if entries[index].wanted != 0 { apply(descriptor) }
  }

  /// When the first held descriptor is to be watched again.
  var nextRelease: UInt64? { held.isEmpty ? nil : held.map { entries[Int($0)].heldUntil }.min() }

  mutating func releaseHeld(at now: UInt64) {
    guard !held.isEmpty else { return }
    for descriptor in held where entries[Int(descriptor)].heldUntil <= now { release(descriptor) }
  }
}

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
