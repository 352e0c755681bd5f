import CLinux
import CurlewCore
import Glibc

/// One thread that waits on many descriptors and runs what is ready.
///
/// Everything a source does happens on that thread, so sources need no lock. Other threads hand work in with `execute`.
// Safe because `Confined` is only touched on the loop's thread; what other threads reach is behind `inbox`.
package final class EventLoop: @unchecked Sendable {
  package typealias Job = @Sendable () -> Void

  /// What wakes up for a descriptor.
  package protocol Source: AnyObject {
    /// The descriptor is ready as asked, or broken.
    func ready(_ events: UInt32)
    /// The loop ends: close at once and drop all references.
    func loopEnds()
  }

  private struct Inbox {
    var jobs: [Job] = []
    var isAsleep = false
    var isStopping = false
    var isClosed = false
  }

  private struct Confined {
    var sources: [UInt64: any Source] = [:]
    var nextSource: UInt64 = 1
    var timers = Timers()
    /// The descriptors of the loop are closed.
    ///
    /// Jobs that come last find nothing to watch.
    var hasEnded = false
  }

  private let epoll: Int32
  private let wake: Int32
  private let inbox = Guarded(Inbox())
  private let thread = Guarded<pthread_t?>(nil)
  private var confined = Confined()
  /// Room for one read, shared by all sources.
  package let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  /// Starts the thread.
  package init() throws(OriginError) {
    epoll = epoll_create1(O_CLOEXEC)
    guard epoll >= 0 else {
      wake = -1
      throw OriginError(errno: errno, in: "make an epoll instance")
    }
    wake = eventfd(0, O_NONBLOCK | O_CLOEXEC)
    guard wake >= 0 else {
      let code = errno
      close(epoll)
      throw OriginError(errno: code, in: "make an event descriptor")
    }
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: 0))
    epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event)
    try startThread()
  }

  deinit {
    if !inbox.withLock({ $0.isClosed }) {
      close(epoll)
      close(wake)
    }
    scratch.deallocate()
  }

  // MARK: From any thread

  /// Runs `job` on the loop's thread: at once when called there, else soon. After the end it is dropped.
  package func execute(_ job: @escaping Job) {
    if isCurrent { return job() }
    inbox.withLock { inbox in
      guard !inbox.isClosed else { return }
      inbox.jobs.append(job)
      if inbox.isAsleep { ring() }
      inbox.isAsleep = false
    }
  }

  /// Whether the caller is on the loop's thread.
  package var isCurrent: Bool {
    thread.withLock { thread in thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  /// Asks the loop to end: each source closes, then the thread exits.
  package func stop() {
    inbox.withLock { inbox in
      inbox.isStopping = true
      if !inbox.isClosed { ring() }
    }
  }

  /// Waits until the thread is gone. Call after `stop`, once, from another thread.
  package func join() {
    let ended = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let ended { pthread_join(ended, nil) }
  }

  /// Lets the thread end unobserved. Instead of `join`.
  package func abandon() {
    let ended = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let ended { pthread_detach(ended) }
  }

  /// Wakes the loop. Only under the inbox's lock: the descriptor is closed there.
  private func ring() {
    var one: UInt64 = 1
    write(wake, &one, 8)
  }

  // MARK: On the loop's thread

  /// Watches a descriptor.
  ///
  /// The answer names the registration, nil when the system refuses or the loop has ended.
  package func add(_ source: any Source, descriptor: Int32, events: UInt32) -> UInt64? {
    guard !confined.hasEnded else { return nil }
    let id = confined.nextSource
    var event = epoll_event(events: events, data: epoll_data_t(u64: id))
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else { return nil }
    confined.nextSource += 1
    confined.sources[id] = source
    return id
  }

  package func change(_ id: UInt64, descriptor: Int32, events: UInt32) {
    guard !confined.hasEnded else { return }
    var event = epoll_event(events: events, data: epoll_data_t(u64: id))
    epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
  }

  /// Stops watching; the caller closes the descriptor.
  package func remove(_ id: UInt64, descriptor: Int32) {
    guard !confined.hasEnded else { return }
    var event = epoll_event()
    epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    confined.sources[id] = nil
  }

  /// Runs `action` on the loop's thread once `delay` has passed, not if the loop ends before.
  package func schedule(after delay: Duration, _ action: @escaping () -> Void) {
    let (at, overflow) = monotonicNow().addingReportingOverflow(delay.nanosecondsClamped)
    confined.timers.add(at: overflow ? .max : at, action)
  }

  private func run() {
    var events = [epoll_event](repeating: epoll_event(), count: 256)
    while !inbox.withLock({ $0.isStopping }) {
      let count = epoll_wait(epoll, &events, Int32(events.count), sleepTime())
      inbox.withLock { $0.isAsleep = false }
      for index in 0..<max(0, Int(count)) {
        let id = events[index].data.u64
        if id == 0 {
          var drained: UInt64 = 0
          read(wake, &drained, 8)
        } else {
          confined.sources[id]?.ready(events[index].events)
        }
      }
      runDueTimers()
      runJobs()
    }
    end()
  }

  private func runJobs() {
    let jobs = inbox.withLock { inbox in
      defer { inbox.jobs.removeAll(keepingCapacity: true) }
      return inbox.jobs
    }
    for job in jobs { job() }
  }

  private func runDueTimers() {
    guard confined.timers.next != nil else { return }
    let now = monotonicNow()
    while let action = confined.timers.popDue(now) { action() }
  }

  /// Milliseconds the loop may sleep, −1 for ever.
  ///
  /// Tells other threads that a sleeping loop must be woken.
  private func sleepTime() -> Int32 {
    let hasJobs = inbox.withLock { inbox in
      inbox.isAsleep = inbox.jobs.isEmpty && !inbox.isStopping
      return !inbox.isAsleep
    }
    if hasJobs { return 0 }
    guard let next = confined.timers.next else { return -1 }
    let wait = next - monotonicNow()
    guard wait > 0 else { return 0 }
    return Int32(min((wait + 999_999) / 1_000_000, 60_000))
  }

  private func end() {
    for source in confined.sources.values { source.loopEnds() }
    confined.sources.removeAll()
    confined.timers.removeAll()
    confined.hasEnded = true
    // Jobs handed in meanwhile may be what somebody waits for; sources are closed and ignore them.
    let jobs = inbox.withLock { inbox in
      inbox.isClosed = true
      close(epoll)
      close(wake)
      defer { inbox.jobs.removeAll() }
      return inbox.jobs
    }
    for job in jobs { job() }
  }

  private func startThread() throws(OriginError) {
    var new = pthread_t()
    let code = thread.withLock { thread in
      let loop = Unmanaged.passRetained(self)
      let code = pthread_create(
        &new, nil,
        { argument in
          guard let argument else { return nil }
          let loop = Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
          EventLoop.blockSignals()
          // The creator holds the lock until the thread is known, so that `isCurrent` is right from the first job on.
          loop.thread.withLock { _ in }
          loop.run()
          return nil
        }, loop.toOpaque())
      if code == 0 { thread = new } else { loop.release() }
      return code
    }
    guard code == 0 else { throw OriginError(errno: code, in: "start a thread") }
  }

  /// Signals belong to the program's own threads.
  ///
  /// A broken pipe must not end the process either.
  private static func blockSignals() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
  }
}
