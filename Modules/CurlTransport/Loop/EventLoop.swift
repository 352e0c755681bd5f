import CLibcurl
import CurlewCore
import Glibc

/// The thread of a transport, which runs libcurl's multi interface on epoll.
///
/// Other threads only call `submit` and `post`; everything else runs on this thread. It waits only in epoll, which an eventfd
/// can interrupt.
// Safe because only the loop's own thread uses what is not behind `inbox`.
final class EventLoop: TaskExecutor, @unchecked Sendable {
  /// The number of rounds of commands and jobs before sockets are checked again.
  private static let roundsBetweenEvents = 16

  let configuration: CurlTransport.Configuration
  /// Where the secrets of TLS connections are written; nil for nowhere.
  let keyLog: KeyLog?
  let headLimits: HeadParser.Limits
  private let inbox = Guarded(Inbox())
  private let wakeDescriptor: Int32
  /// Whether the descriptor is open; it is written only under this lock, and closed only after the lock was taken.
  ///
  /// It is not the inbox's lock, so that the thread which has just been woken need not wait for it.
  private let canBeWoken = Guarded(true)
  /// The running flights; each one knows its index.
  private(set) var running: [CurlFlight] = []
  private var touched: [CurlFlight] = []
  private var isStopping = false
  private(set) var tick: UInt64 = 0
  /// The monotonic time of the current step, in nanoseconds.
  private(set) var now: UInt64 = monotonicNanoseconds()
  var nextCheck: UInt64?
  /// The flights that wait for their rate limit.
  var paced: [CurlFlight] = []
  /// The requests that timed out since `leaveSilent` was last called.
  var silences: [Silence] = []
  /// When to look at the idle connections.
  var nextTidying: UInt64?
  /// When to look for HTTP/2 connections on which libcurl has found a violation of the protocol.
  var nextInspection: UInt64?
  /// Whether memory is to be returned to the system once idle connections are closed.
  var isTrimming = false
  /// The handle that makes libcurl close idle connections, while it runs.
  var pruner: EasyHandle?
  var sleepWatch = SleepWatch()
  /// Whether libcurl may have finished transfers since the last check.
  private var mayHaveFinished = false

  /// The two-way connections, by descriptor.
  var conversations: [Int32: CurlConversation] = [:]
  /// Where bytes of two-way connections are read; empty before the first one.
  private var piece: [UInt8] = []

  let multi: MultiHandle
  var sockets: SocketTable
  var queue: OriginQueue<CurlFlight>
  var origins = HTTP2Lanes()
  var handles: HandlePool
  let sessions = TLSSessions()
  var frames = FrameLog()
  var uploadDisks = UploadDisks()
  var remoteAddress = AddressText()
  var localAddress = AddressText()

  /// When libcurl wants to be called, in nanoseconds of the monotonic clock.
  var curlDue: UInt64?

  init(_ configuration: CurlTransport.Configuration) throws(NetworkError) {
    self.configuration = configuration
    keyLog = if let path = configuration.keyLogPath { try KeyLog(path) } else { nil }
    headLimits = HeadParser.Limits(
      bytes: configuration.headerBytes, fields: configuration.headerFields,
      informational: configuration.informationalHeads)
    queue = OriginQueue(perOrigin: configuration.requestsPerOrigin, inAll: configuration.requestsInAll)
    guard let multi = curl_multi_init() else { throw .exhausted("libcurl has no memory for a transport.") }
    WakeupDescriptors.seal(multi)
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard epoll >= 0, wake >= 0 else {
      if epoll >= 0 { close(epoll) }
      if wake >= 0 { close(wake) }
      curl_multi_cleanup(multi)
      throw .exhausted("No descriptor is left for a transport.")
    }
    self.multi = multi
    wakeDescriptor = wake
    sockets = SocketTable(epoll: epoll)
    handles = HandlePool()
    sockets.watch(wake)
    installCallbacks()
    try startThread()
  }

  private func startThread() throws(NetworkError) {
    var thread = pthread_t()
    let this = Unmanaged.passRetained(self).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        curlew_name_thread("curlew-curl")
        TransportThread.enter()
        let loop = Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue()
        loop.run()
        return nil
      }, this)
    guard code == 0 else {
      Unmanaged<EventLoop>.fromOpaque(this).release()
      releaseDescriptors()
      throw .exhausted("No thread is left for a transport.")
    }
    pthread_detach(thread)
  }

  // MARK: From other threads

  /// Submits a flight; returns false when the loop has ended or is about to.
  func submit(_ flight: CurlFlight) -> Bool { post(.submit(flight)) }

  /// Posts a command; returns false when the loop has ended.
  @discardableResult
  func post(_ command: Command) -> Bool {
    let (accepted, wakes) = inbox.withLock { inbox -> (Bool, Bool) in
      guard !inbox.isClosed else { return (false, false) }
      inbox.pending.commands.append(command)
      return (true, inbox.wakes())
    }
    if wakes { wake() }
    return accepted
  }

  /// Runs a job on this thread, or on the global executor when the loop has ended.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (accepted, wakes) = inbox.withLock { inbox -> (Bool, Bool) in
      guard !inbox.isClosed else { return (false, false) }
      inbox.pending.jobs.append(job)
      return (true, inbox.wakes())
    }
    if wakes { wake() }
    if !accepted { globalConcurrentExecutor.enqueue(job) }
  }

  private func wake() {
    configuration.beforeWaking?()
    canBeWoken.withLock { canBeWoken in
      var one: UInt64 = 1
      if canBeWoken { _ = write(wakeDescriptor, &one, 8) }
    }
  }

  /// Tells the thread to end, and returns at once.
  func stop() { post(.stop) }

  /// Tells the thread to end, and returns when it has released everything.
  func stopped() async {
    stop()
    await withUnsafeContinuation { continuation in
      let gone = inbox.withLock { inbox -> Bool in
        if !inbox.isGone { inbox.awaitingEnd.append(continuation) }
        return inbox.isGone
      }
      if gone { continuation.resume() }
    }
  }

  // MARK: On the thread

  private func run() {
    ProcessExit.began(self)
    let executor = asUnownedTaskExecutor()
    /// Exchanged with what other threads have posted, so that the memory is used again.
    var pending = PendingCommands()
    while !isStopping {
      tick &+= 1
      var rounds = 0
      repeat {
        now = monotonicNanoseconds()
        noteSleep()
        inbox.withLock { inbox in swap(&inbox.pending, &pending) }
        run(&pending, on: executor)
        finishTurn()
        rounds += 1
      } while !isStopping && rounds < Self.roundsBetweenEvents && !inbox.withLock { $0.pending.isEmpty }
      if !isStopping { waitForEvents() }
    }
    end()
  }

  /// Processes the posted commands and runs the jobs that came with them.
  private func run(_ pending: inout PendingCommands, on executor: UnownedTaskExecutor) {
    for command in pending.commands {
      switch command {
      case .submit(let flight): enqueue(flight)
      case .opened(let flight, let file): opened(flight, file)
      case .cancel(let flight): cancel(flight)
      case .receive(let flight): flight.resumeReceiving()
      case .send(let flight): flight.resumeSending()
      case .resume(let conversation, let receiving): conversation.resume(receiving: receiving)
      case .endConversation(let conversation): conversation.end(CancellationError())
      case .leaveConnections: leaveAll()
      case .stop: isStopping = true
      case .hold: ProcessExit.hold(self)
      }
    }
    for job in pending.jobs { job.runSynchronously(on: executor) }
    pending.clear()
  }

  private func enqueue(_ flight: CurlFlight) {
    guard !isStopping else { return flight.end(with: .shutDown) }
    if queue.admits(flight.plan.origin) { return start(flight) }
    queue.enqueue(flight, for: flight.plan.origin, priority: flight.plan.priority)
  }

  /// Starts the flights that the queue admits.
  private func startWaiting() {
    while let flight = queue.next() { start(flight) }
  }

  private func start(_ flight: CurlFlight) {
    guard !flight.isCancelled else {
      queue.finished(flight.plan.origin)
      return flight.landed(CURLE_OK, ended: false)
    }
    flight.runningPlace = running.count
    running.append(flight)
    if flight.beginOpening() { return scheduleCheck(flight) }
    takeOff(flight)
  }

  /// Starts a flight whose file is open, unless it was cancelled meanwhile.
  private func opened(_ flight: CurlFlight, _ file: Result<UploadFile, NetworkError>) {
    guard flight.runningPlace != nil else { return }
    do throws(NetworkError) {
      flight.file = try file.get()
      takeOff(flight)
    } catch {
      remove(flight)
      flight.end(with: error)
    }
  }

  private func takeOff(_ flight: CurlFlight) {
    do throws(NetworkError) {
      try flight.takeOff(on: self)
      scheduleCheck(flight)
    } catch {
      remove(flight)
      flight.end(with: error)
    }
  }

  private func cancel(_ flight: CurlFlight) {
    if flight.runningPlace != nil {
      land(flight, CURLE_OK, ended: false)
    } else if queue.remove(flight, for: flight.plan.origin) {
      flight.landed(CURLE_OK, ended: false)
    } else if let conversation = flight.conversation {
      flight.made = nil
      conversation.end(CancellationError())
    }
  }

  private func act(on socket: Int32, _ mask: Int32) {
    if socket == CURL_SOCKET_TIMEOUT { curlDue = nil }
    mayHaveFinished = true
    var stillRunning: Int32 = 0
    curl_multi_socket_action(multi, socket, mask, &stillRunning)
    scheduleInspection()
  }

  /// Ends finished transfers, starts waiting ones and wakes readers, in rounds.
  ///
  /// Every turn of the loop ends here before it sleeps. An end, a cancellation, a timeout or a failed start may have freed a
  /// place in the queue; in each case the next request is started here.
  private func finishTurn() {
    var goesOn = true
    while goesOn, !isStopping {
      for _ in 0..<Self.roundsBetweenEvents {
        landAndStart()
        guard let due = curlDue, due <= now else { break }
        // All finished transfers are removed by now, so every connection that libcurl may choose is known to rest.
        lookAtRested()
        act(on: CURL_SOCKET_TIMEOUT, 0)
      }
      landAndStart()
      flushTouched()
      // Waking a reader can end its flight.
      goesOn = queue.hasNext
    }
    if isStopping { flushTouched() }
  }

  private func landAndStart() {
    if mayHaveFinished { landFinished() }
    if queue.hasNext { startWaiting() }
  }

  /// Removes the transfers that libcurl has finished.
  private func landFinished() {
    mayHaveFinished = false
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      let result = curlew_message_result(message)
      if let flight = CurlFlight.of(easy) {
        land(flight, result, ended: true)
      } else {
        pruned()
      }
    }
    leaveSilent()
    scheduleTidying()
  }

  /// Wakes readers; this may resume a flight, which can then be touched again.
  private func flushTouched() {
    guard !touched.isEmpty else { return }
    var next = 0
    while next < touched.count {
      let flight = touched[next]
      next += 1
      flight.flush()
    }
    touched.removeAll(keepingCapacity: touched.capacity <= 1_024)
  }

  /// Records that a flight has news for its reader.
  func touch(_ flight: CurlFlight) { touched.append(flight) }

  private func land(_ flight: CurlFlight, _ result: CURLcode, ended: Bool) {
    guard flight.runningPlace != nil else { return }
    remove(flight)
    if flight.plan.isDuplex, ended, result == CURLE_OK, flight.failure == nil, !flight.isCancelled,
      let easy = flight.easy
    {
      return flight.connected(easy)
    }
    flight.landed(result, ended: ended)
  }

  /// Removes a flight from the running ones, and frees its place in the queue.
  private func remove(_ flight: CurlFlight) {
    guard let place = flight.runningPlace else { return }
    flight.runningPlace = nil
    let last = running.removeLast()
    if place < running.count {
      running[place] = last
      last.runningPlace = place
    }
    queue.finished(flight.plan.origin)
  }

  /// Ends a running flight, for a reason that is not libcurl's.
  func abort(_ flight: CurlFlight) {
    guard flight.runningPlace != nil else { return }
    land(flight, CURLE_ABORTED_BY_CALLBACK, ended: false)
  }

  /// Makes a transfer, and all others on its connection, log HTTP/2 frames.
  func logFrames(of flight: CurlFlight) {
    flight.logFrames()
    guard let lane = flight.lane, origins.logFrames(flight.plan.origin, lane: lane) else { return }
    for other in running where other.lane == lane && other.plan.origin == flight.plan.origin { other.logFrames() }
  }

  /// Calls a closure with room for bytes, which nothing else uses meanwhile.
  func withPiece<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
    if piece.isEmpty { piece = [UInt8](repeating: 0, count: CurlFlight.largeBuffer) }
    return piece.withUnsafeMutableBytes(body)
  }

  private func waitForEvents() {
    now = monotonicNanoseconds()
    var due = min(curlDue ?? .max, nextCheck ?? .max)
    due = min(due, sockets.nextRelease ?? .max, nextPaced ?? .max, nextTidying ?? .max, nextInspection ?? .max)
    var milliseconds: Int32 = -1
    if due != .max { milliseconds = due <= now ? 0 : Int32(clamping: (due - now + 999_999) / 1_000_000) }
    let sleeps = inbox.withLock { inbox -> Bool in
      guard inbox.pending.isEmpty else { return false }
      inbox.isAsleep = true
      return true
    }
    let count = max(0, sockets.wait(sleeps ? milliseconds : 0))
    inbox.withLock { $0.isAsleep = false }
    now = monotonicNanoseconds()
    retireRested(among: count)
    for index in 0..<count {
      if !conversations.isEmpty, let conversation = conversations[sockets.descriptor(index)] {
        conversation.advance()
        continue
      }
      let (socket, mask) = sockets.event(index)
      if socket == wakeDescriptor {
        var value: UInt64 = 0
        _ = read(wakeDescriptor, &value, 8)
      } else if mask != 0 {
        act(on: socket, mask)
      } else {
        noteIdleBytes(socket)
      }
    }
    sockets.releaseHeld(at: now)
    releasePaced(at: now)
    if let check = nextCheck, check <= now { checkDeadlines(at: now) }
    if let due = nextInspection, due <= now { endBroken() }
    if let due = nextTidying, due <= now { tidy(at: now) }
  }

  // MARK: The end

  private func end() {
    let late = inbox.withLock { inbox -> PendingCommands in
      inbox.isClosed = true
      defer { inbox.pending = PendingCommands() }
      return inbox.pending
    }
    for job in late.jobs { globalConcurrentExecutor.enqueue(job) }
    for command in late.commands { if case .submit(let flight) = command { flight.end(with: .shutDown) } }
    for flight in queue.removeAll() { flight.end(with: .shutDown) }
    for flight in running {
      flight.runningPlace = nil
      flight.fail(.shutDown)
      flight.landed(CURLE_ABORTED_BY_CALLBACK, ended: false)
    }
    running = []
    paced = []
    endConversations()
    flushTouched()
    handles.removeAll()
    pruned()
    releaseDescriptors()
    sessions.removeAll()
    ProcessExit.ended(self)
    let waiting = inbox.withLock { inbox -> [UnsafeContinuation<Void, Never>] in
      inbox.isGone = true
      defer { inbox.awaitingEnd = [] }
      return inbox.awaitingEnd
    }
    for continuation in waiting { continuation.resume() }
  }

  private func releaseDescriptors() {
    curl_multi_cleanup(multi)
    sockets.close()
    canBeWoken.withLock { $0 = false }
    close(wakeDescriptor)
  }
}

extension EventLoop {
  /// A command from another thread.
  enum Command {
    case submit(CurlFlight)
    /// The file of a flight's body is open, or could not be opened.
    case opened(CurlFlight, Result<UploadFile, NetworkError>)
    case cancel(CurlFlight)
    case receive(CurlFlight)
    case send(CurlFlight)
    /// The app's side of a two-way connection has read or written.
    case resume(CurlConversation, receiving: Bool)
    case endConversation(CurlConversation)
    /// Uses none of the connections again.
    case leaveConnections
    case stop
    /// Stops all work, because the process exits.
    case hold
  }

  /// The commands and jobs that other threads left for the loop.
  struct PendingCommands {
    var commands: [Command] = []
    var jobs: [UnownedJob] = []

    var isEmpty: Bool { commands.isEmpty && jobs.isEmpty }

    /// Removes all entries, and keeps the memory unless it is large.
    mutating func clear() {
      if !commands.isEmpty { commands.removeAll(keepingCapacity: commands.capacity <= 1_024) }
      if !jobs.isEmpty { jobs.removeAll(keepingCapacity: jobs.capacity <= 1_024) }
    }
  }

  /// The state that the loop shares with other threads, protected by a lock.
  struct Inbox {
    var pending = PendingCommands()
    var isAsleep = false
    var isClosed = false
    var isGone = false
    var awaitingEnd: [UnsafeContinuation<Void, Never>] = []

    /// Returns whether the thread must be woken, and marks it as awake.
    mutating func wakes() -> Bool {
      defer { isAsleep = false }
      return isAsleep
    }
  }
}

/// Returns the time of the monotonic clock in nanoseconds.
func monotonicNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}
