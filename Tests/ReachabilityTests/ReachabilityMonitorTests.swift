import CurlewCore
import CurlewReachability
import Foundation
import Testing

/// One after the other, since they count threads and descriptors of the process.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ReachabilityMonitorTests {
  @Test func `before the start and after a stop nothing is known, in between it is known at once`() {
    let monitor = ReachabilityMonitor()
    for _ in 0..<3 {
      #expect(monitor.path == .unknown && monitor.isReachable == nil && !monitor.isMonitoring)
      #expect(monitor.source == .none)
      monitor.start()
      monitor.start()
      #expect(monitor.isMonitoring && monitor.source != .none && monitor.path != .unknown)
      monitor.stop()
      monitor.stop()
    }
  }

  @Test func `this machine itself is reached by its address`() {
    let monitor = ReachabilityMonitor(.host("127.0.0.1"))
    monitor.start()
    #expect(monitor.path.interfaces.map(\.kind) == [.loopback] && monitor.path.families == .ipv4)
    monitor.stop()
  }

  @Test func `readers and listeners go on through every stop and start, and end with the monitor`() async {
    var monitor: ReachabilityMonitor? = ReachabilityMonitor(.host("127.0.0.1"))
    var changes = monitor?.changes().makeAsyncIterator()
    #expect(await changes?.next()?.status == .unknown)
    for _ in 0..<2 {
      monitor?.start()
      #expect(await changes?.next()?.status == .reachableViaWiFi)
      monitor?.stop()
      #expect(await changes?.next()?.status == .unknown)
    }
    monitor = nil
    #expect(await changes?.next() == nil)
  }

  /// `CURLEW_STARTS` says how many; `Scripts/soak` takes 10,000.
  @Test func `starts and stops leave no thread and no descriptor`() async {
    let starts = ProcessInfo.processInfo.environment["CURLEW_STARTS"].flatMap { Int($0) } ?? 300
    let monitor = ReachabilityMonitor()
    monitor.start()
    #expect(await ProcessLook.settles { ProcessLook.netlinkSockets == 1 })
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-netlink").count == 1 })
    monitor.stop()
    for _ in 0..<starts {
      monitor.start()
      monitor.stop()
    }
    #expect(await ProcessLook.settles { ProcessLook.netlinkSockets == 0 })
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-netlink").isEmpty })
  }

  @Test func `starts and stops from many tasks at once end as the last one says`() async {
    let monitor = ReachabilityMonitor()
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask { for _ in 0..<20 { if task % 2 == 0 { monitor.start() } else { monitor.stop() } } }
      }
    }
    monitor.stop()
    #expect(monitor.path == .unknown && !monitor.isMonitoring)
    monitor.start()
    #expect(monitor.path != .unknown)
    monitor.stop()
    #expect(await ProcessLook.settles { ProcessLook.netlinkSockets == 0 })
    #expect(monitor.path == .unknown)
  }

  @Test func `a monitor that is let go ends its thread`() async {
    for _ in 0..<10 { ReachabilityMonitor().start() }
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-netlink").isEmpty })
  }

  @Test func `a resolver that never answers delays nobody`() async {
    let resolver = Blocked()
    var configuration = ReachabilityMonitor.Configuration()
    configuration.lookUp = { _ in
      resolver.wait()
      return []
    }
    let monitor = ReachabilityMonitor(.host("never.example"), configuration: configuration)
    let start = ContinuousClock.now
    for _ in 0..<50 {
      monitor.start()
      #expect(monitor.path == .unknown)
      monitor.stop()
    }
    #expect(start.duration(to: .now) < .seconds(5))
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-lookup").count == 1 })
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-netlink").isEmpty })
    resolver.open()
    #expect(await ProcessLook.settles { ProcessLook.threads("curlew-lookup").isEmpty })
  }

  @Test func `a name that does not resolve is not reachable, and is looked up again until it does`() async {
    let answers = Guarded<[[String]]>([["127.0.0.1"], []])
    var configuration = ReachabilityMonitor.Configuration()
    configuration.lookUp = { _ in answers.withLock { $0.popLast() ?? ["::1"] } }
    let monitor = ReachabilityMonitor(.host("this.example"), configuration: configuration)
    var changes = monitor.changes().makeAsyncIterator()
    monitor.start()
    #expect(await changes.next()?.status == .unknown)
    #expect(await changes.next() == .notReachable)
    #expect(await changes.next()?.interfaces.map(\.kind) == [.loopback])
    monitor.stop()
  }

  @Test func `what is recorded is replayed to the same path`() async {
    let recorded = Guarded<[NetlinkRecording.Batch]>([])
    var configuration = ReachabilityMonitor.Configuration()
    configuration.record = { batch in recorded.withLock { $0.append(batch) } }
    let monitor = ReachabilityMonitor(configuration: configuration)
    monitor.start()
    let path = monitor.path
    monitor.stop()
    let recording = NetlinkRecording(recorded.withLock { $0 })
    #expect(NetlinkRecording(recording.description) == recording && !recording.batches.isEmpty)
    #expect(recording.paths().last?.status == path.status)
    #expect(recording.paths().last?.families == path.families)
  }
}
