import CurlewCore
import CurlewReachability
import Glibc
import Testing

/// A process that may open no netlink socket, as `Scripts/peers/without-netlink.py` makes it.
@Suite(.enabled(if: getenv("CURLEW_WITHOUT_NETLINK") != nil, Namespace.advice), .timeLimit(.minutes(10)))
struct SandboxTests {
  @Test func `where the system refuses netlink the monitor says so and reads files`() {
    let monitor = ReachabilityMonitor()
    monitor.start()
    #expect(monitor.source == .polling(step: "socket", code: EPERM))
    #expect(monitor.isMonitoring && monitor.path.summary == "ipv4 cp0")
    monitor.stop()
  }
}
