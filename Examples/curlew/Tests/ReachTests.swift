import ArgumentParser
import CurlewCore
import CurlewReachability
import FoundationEssentials
import Testing

@testable import CurlewTool

@Suite(.timeLimit(.minutes(10))) struct ReachTests {
  @Test(arguments: [["reach", ""], ["reach", "a b"], ["reach", "a/b"], ["reach", "http://"], ["reach", "a", "b"]])
  func `wrong usage is refused while parsing`(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Root.parseAsRoot(arguments) }
    #expect(error.map { Root.exitCode(for: $0) } == .validationFailure)
  }

  @Test func `a path is one line`() {
    let wires = [NetworkInterface("eth0", .wired), NetworkInterface("wlan0", .wiFi)]
    #expect(
      Reach.text(NetworkPath(.reachableViaWiFi, interfaces: wires, families: [.ipv4, .ipv6]))
        == "Reachable: eth0 (wired), wlan0 (wifi), IPv4 and IPv6")
    #expect(
      Reach.text(
        NetworkPath(
          .reachableViaCellular, interfaces: [NetworkInterface("wwan0", .cellular)], families: .ipv4, isExpensive: true)
      )
        == "Reachable: wwan0 (cellular), IPv4, expensive")
    #expect(Reach.text(.notReachable) == "Not reachable" && Reach.text(.unknown) == "Unknown")
  }

  @Test func `this machine is reached, and a name that is none is not`() async throws {
    for host in ["127.0.0.1", "http://localhost:8080/"] {
      let here = try await ToolRun(["reach", host])
      #expect(
        here.status == 0 && here.output == "Reachable: lo (loopback), IPv4\n" || here.output.contains("lo"))
    }
    let nowhere = try await ToolRun(["reach", "name.invalid"])
    #expect(nowhere.status == 1 && ["Not reachable\n", "Unknown\n"].contains(nowhere.output))
    #expect(nowhere.errors.hasPrefix("curlew: name.invalid: "), "\(nowhere.errors)")
    #expect(["check the spelling of the name.\n", "try again.\n"].contains { nowhere.errors.hasSuffix($0) })
  }

  @Test func `without a host it says what the monitor says`() async throws {
    let monitor = ReachabilityMonitor()
    monitor.start()
    let run = try await ToolRun(["reach"])
    #expect(run.output == Reach.text(monitor.path) + "\n")
    #expect(run.status == (monitor.isReachable == true ? 0 : 1))
    monitor.stop()
  }

  @Test func `watching prints a line with the time and goes on until it is interrupted`() async throws {
    let run = try await ToolRun(
      ["reach", "--watch", "127.0.0.1"], script: "\"$0\" \"$@\" & child=$!; sleep 2; kill -INT $child; wait $child")
    #expect(run.status == 130)
    let line = try #require(run.output.split(separator: "\n").first)
    #expect(line.hasSuffix("Z Reachable: lo (loopback), IPv4"), "\(run.output)")
    #expect(run.output.split(separator: "\n").count == 1)
  }
}
