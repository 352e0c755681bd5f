import CLinux
import CurlewCore
import Glibc

/// A thread that waits for many descriptors and runs the ones that are ready.
///
/// Sources run only on that thread, so they need no lock. Other threads submit work with `execute`.
// Safe because only the loop's thread uses `Confined`; the state that other threads use is behind `inbox`.
package final class EventLoop: @unchecked Sendable {
  package typealias Job = @Sendable () -> Void

  /// A handler for a descriptor.
  package protocol Source: AnyObject {
    /// Called when the descriptor is ready for the requested events, or broken.
    func ready(_ events: UInt32)
    /// Called when the loop ends: close at once and release all references.
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
    /// Whether the loop's descriptors are closed.
    ///
    /// The last jobs then have nothing to watch.
    var hasEnded = false
  }

  private let epoll: Int32
  private let wake: Int32
  private let inbox = Guarded(Inbox())
  private let thread = Guarded<pthread_t?>(nil)
  private var confined = Confined()
  /// The buffer for one read, which all sources share.
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

  /// Runs `job` on the loop's thread, at once if called there.
  ///
  /// After the end of the loop it is dropped.
  package func execute(_ job: @escaping Job) {
    if isCurrent { return job() }
    inbox.withLock { inbox in
      guard !inbox.isClosed else { return }
      inbox.jobs.append(job)
      if inbox.isAsleep { ring() }
      inbox.isAsleep = false
    }
  }

  /// Whether the caller runs on the loop's thread.
  package var isCurrent: Bool {
    thread.withLock { thread in thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  /// Stops the loop: each source closes, then the thread exits.
  package func stop() {
    inbox.withLock { inbox in
      inbox.isStopping = true
      if !inbox.isClosed { ring() }
    }
  }

  /// Waits until the thread has ended.
  ///
  /// Call it once after `stop`, from another thread.
  package func join() {
    let ended = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let ended { pthread_join(ended, nil) }
  }

  /// Lets the thread end without waiting for it, instead of `join`.
  package func abandon() {
    let ended = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let ended { pthread_detach(ended) }
  }

  /// Wakes the loop; call it under the inbox's lock, which guards the descriptor.
  private func ring() {
    var one: UInt64 = 1
    write(wake, &one, 8)
  }

  // MARK: On the loop's thread

  /// Watches a descriptor.
  ///
  /// - Returns: The identifier of the registration; nil if the system refuses or the loop has ended.
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

  /// Stops watching a descriptor, which the caller closes.
  package func remove(_ id: UInt64, descriptor: Int32) {
    guard !confined.hasEnded else { return }
    var event = epoll_event()
    epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    confined.sources[id] = nil
  }

  /// Runs `action` on the loop's thread after `delay`, unless the loop ends first.
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

  /// Returns how many milliseconds the loop may sleep; −1 for no limit.
  ///
  /// It also records that the loop must be woken for new jobs.
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
    // Somebody may wait for jobs that were submitted meanwhile; closed sources ignore them.
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
          // The creator holds the lock until the thread is known, so that `isCurrent` is correct from the first job on.
          loop.thread.withLock { _ in }
          loop.run()
          return nil
        }, loop.toOpaque())
      if code == 0 { thread = new } else { loop.release() }
      return code
    }
    guard code == 0 else { throw OriginError(errno: code, in: "start a thread") }
  }

  /// Blocks signals, which the program's own threads handle.
  ///
  /// A broken pipe must not end the process either.
  private static func blockSignals() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
  }
}
