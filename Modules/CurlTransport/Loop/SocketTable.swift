import CLibcurl
import Glibc

/// Which descriptors epoll watches, and for what.
///
/// It does more than translate libcurl's wishes. A connection that goes idle stays registered, so that its next request
/// costs no `epoll_ctl`. An idle HTTP/1.1 connection on which anything arrives is retired (see `EventLoop+Resting`). And
/// a connection that is writable while nothing is written (libcurl keeps asking for it while an HTTP/2 window is full) is
/// held back, first for a millisecond, at last for 50, instead of spinning.
///
/// Its state belongs to one thread, and no access to it spans a call to another method: the accesses need no check.
final class SocketTable {
  struct Entry {
    /// What libcurl wants to hear of.
    var wanted: UInt32 = 0
    /// The handle for which libcurl last asked to hear of anything; compared, never called.
    var user: EasyHandle?
    /// Whether it is an HTTP/1.1 connection between two requests.
    var isResting = false
    /// What epoll was told.
    var told: UInt32 = 0
    var isRegistered = false
    /// Whether libcurl tells us when it closes it, so that it may stay registered.
    var isConnection = false
    /// Writable wake-ups in a row on which nothing was written.
    var idleWrites: UInt8 = 0
    /// Until when writability is not asked for; 0 is not held.
    var heldUntil: UInt64 = 0
  }

  private let epoll: Int32
  @exclusivity(unchecked) var entries: [Entry] = Array(repeating: Entry(), count: 64)
  @exclusivity(unchecked) private var held: [Int32] = []
  @exclusivity(unchecked) private var events: [epoll_event] = Array(repeating: epoll_event(), count: 256)
  /// Goes up whenever a callback moved bytes of an upload.
  @exclusivity(unchecked) var uploadMotion: UInt64 = 0
  @exclusivity(unchecked) private var lastMotion: UInt64 = 0
  /// Set when a socket could not be opened for want of descriptors.
  @exclusivity(unchecked) private(set) var lastOpenError: Int32 = 0
  /// Connections that libcurl wanted to hear of no more since `wait` was last called.
  @exclusivity(unchecked) var released: [Int32] = []
  /// The ends of connections, and the connections whose ends are not known yet.
  @exclusivity(unchecked) var places: [Int32: Place] = [:]
  @exclusivity(unchecked) var descriptors: [Place: Int32] = [:]
  @exclusivity(unchecked) var unplaced: [Int32] = []

  init(epoll: Int32) { self.epoll = epoll }

  func close() { Glibc.close(epoll) }

  /// Watches a descriptor of ours for reading.
  func watch(_ descriptor: Int32) {
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: descriptor))
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
  }

  // MARK: libcurl's wishes

  /// libcurl wants to hear, for a transfer, that a descriptor is ready.
  func setInterest(_ descriptor: Int32, _ what: Int32, of user: EasyHandle?) {
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

  private func grow(to descriptor: Int32) {
    let needed = Int(descriptor) + 1
    if needed > entries.count {
      entries += Array(repeating: Entry(), count: max(needed - entries.count, entries.count))
    }
  }

  /// Tells epoll what is wanted now, if it does not know.
  private func apply(_ descriptor: Int32) {
    let index = Int(descriptor)
    var mask = entries[index].wanted
    if entries[index].heldUntil != 0 { mask &= ~EPOLLOUT.rawValue }
    register(descriptor, for: mask)
  }

  /// Tells epoll what to watch for, if it does not know.
  func register(_ descriptor: Int32, for mask: UInt32) {
    let index = Int(descriptor)
    guard !entries[index].isRegistered || entries[index].told != mask else { return }
    var event = epoll_event(events: mask, data: epoll_data_t(fd: descriptor))
    let operation = entries[index].isRegistered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
    if epoll_ctl(epoll, operation, descriptor, &event) != 0 {
      // The kernel forgot it (closed and opened again), or still knows it.
      let other = errno == ENOENT ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
      epoll_ctl(epoll, other, descriptor, &event)
    }
    entries[index].isRegistered = true
    entries[index].told = mask
  }

  func unregister(_ descriptor: Int32) {
    let index = Int(descriptor)
    guard entries[index].isRegistered else { return }
    var event = epoll_event()
    epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    entries[index].isRegistered = false
    entries[index].told = 0
  }

  // MARK: Sockets that libcurl opens and closes

  func open(_ address: UnsafePointer<curl_sockaddr>) -> Int32 {
    let descriptor = socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), address.pointee.protocol)
    guard descriptor >= 0 else {
      lastOpenError = errno
      return -1
    }
    grow(to: descriptor)
    entries[Int(descriptor)] = Entry()
    entries[Int(descriptor)].isConnection = true
    unplaced.append(descriptor)
    return descriptor
  }

  func closed(_ descriptor: Int32) -> Int32 {
    if descriptor >= 0, Int(descriptor) < entries.count {
      release(descriptor)
      forget(descriptor)
      // Closing takes it out of epoll.
      entries[Int(descriptor)] = Entry()
    }
    return Glibc.close(descriptor)
  }

  /// Takes the error of the last socket that could not be opened.
  func takeOpenError() -> Int32 {
    defer { lastOpenError = 0 }
    return lastOpenError
  }

  // MARK: Waiting

  /// Waits for events, and returns how many there are.
  func wait(_ milliseconds: Int32) -> Int {
    // epoll looks at the connections that went idle since.
    if !released.isEmpty { released.removeAll(keepingCapacity: true) }
    let count = Int(epoll_wait(epoll, &events, Int32(events.count), milliseconds))
    lastMotion = uploadMotion
    return count
  }

  /// The resting connection of an event that `wait` found; nil for other descriptors.
  func restingConnection(_ index: Int) -> Int32? {
    let descriptor = events[index].data.fd
    guard descriptor >= 0, Int(descriptor) < entries.count, entries[Int(descriptor)].isResting else { return nil }
    return descriptor
  }

  /// One event that `wait` found: the descriptor, and libcurl's mask; 0 is nothing to act on.
  func event(_ index: Int) -> (Int32, Int32) {
    let descriptor = events[index].data.fd
    let mask = events[index].events
    guard descriptor >= 0, Int(descriptor) < entries.count, entries[Int(descriptor)].isConnection else {
      return (descriptor, selectMask(mask))
    }
    let entry = Int(descriptor)
    if entries[entry].wanted == 0 {
      // It is paused, held by a rate limit, or idle and speaks HTTP/2: libcurl looks when it uses it next.
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

  private func noteWritable(_ descriptor: Int32) {
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

  @exclusivity(unchecked) private var motionSeen: UInt64 = 0

  private func release(_ descriptor: Int32) {
    let index = Int(descriptor)
    guard entries[index].heldUntil != 0 else { return }
    entries[index].heldUntil = 0
    held.removeAll { $0 == descriptor }
    if entries[index].wanted != 0 { apply(descriptor) }
  }

  /// When the first held descriptor is to be asked about again.
  var nextRelease: UInt64? { held.isEmpty ? nil : held.map { entries[Int($0)].heldUntil }.min() }

  func releaseHeld(at now: UInt64) {
    guard !held.isEmpty else { return }
    for descriptor in held where entries[Int(descriptor)].heldUntil <= now { release(descriptor) }
  }
}
